// Saves the targets. A session alone cannot redirect a token: a new address requires a confirmation that names it, and the password
// if one is set.
import { HttpError } from "../http/http-error.ts";
import type { NewAddress, Targets } from "./targets.ts";

export interface TargetsRequest {
  readonly targets?: unknown;
  /** The addresses (scheme, host and port) that the user has confirmed. */
  readonly confirmed?: unknown;
}

/** `checkPassword` throws unless the request contains the password; it does nothing if no password is set. */
export async function saveTargets(targets: Targets, request: TargetsRequest, checkPassword: (unconfirmed: readonly NewAddress[]) => void): Promise<void> {
  const next = targets.read(request.targets);
  const added = targets.newAddresses(next);
  const confirmed: readonly unknown[] = Array.isArray(request.confirmed) ? request.confirmed : [];
  const unconfirmed = added.filter(({ address }) => !confirmed.includes(address));
  if (added.length > 0) checkPassword(unconfirmed);
  if (unconfirmed.length > 0) {
    const transfers = unconfirmed.map(({ address, tokenEnv }) => `the token in ${tokenEnv} to ${address}`).join(", ");
    throw new HttpError(409, `this would send ${transfers}: to allow it, list each address in 'confirmed'`, { confirm: unconfirmed });
  }
  await targets.replace(next);
}
