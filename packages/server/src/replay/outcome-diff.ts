// Compares the result of a replay with the original.
import { isDeepStrictEqual } from "node:util";
import { maskEnd, maskPasswords } from "../masking/preview.ts";
import { isSecretHeader, masked } from "../masking/secret-headers.ts";
import { maskMembersOf } from "../masking/secret-members.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { maxMessageLength } from "../runs/run-metadata.ts";
import type { RunOutcome } from "./replay-store.ts";

type Json = Readonly<Record<string, unknown>>;
type MaskHeader = (name: string, value: unknown) => unknown;

/** `null` where the original was not stored. */
export function differences(original: Partial<RunOutcome> & { readonly status: string }, replay: RunOutcome, secrets: Pick<SecretValues, "scrubEnd">): Json {
  const status = { before: original.status, after: replay.status };
  const maskError = (failure: RunOutcome["error"] | undefined): RunOutcome["error"] => {
    if (failure === undefined || failure === null) return null;
    // The history truncates messages.
    return { ...failure, message: maskUris(failure.message.length < maxMessageLength ? failure.message : secrets.scrubEnd(failure.message)) };
  };
  const error = { before: maskError(original.error), after: maskError(replay.error) };
  const truncated = new Set([...(original.truncatedHeaders ?? []), ...(replay.truncatedHeaders ?? [])]);
  const mask: MaskHeader = (name, value) => (isSecretHeader(name) ? masked : maskPasswords(name, truncated.has(name) ? maskEnd(value, secrets) : value));
  const isStored = original.bodyType !== undefined;
  const body =
    !isStored || original.body === undefined || replay.body === undefined
      ? null
      : { changed: !isDeepStrictEqual(original.body, replay.body), before: maskMembersOf(original.body), after: maskMembersOf(replay.body) };
  const headers = isStored ? headerChanges(original.headers ?? {}, replay.headers, mask) : null;
  const same =
    status.before === status.after &&
    original.error?.type === replay.error?.type &&
    original.error?.message === replay.error?.message &&
    body?.changed === false &&
    headers !== null &&
    Object.values(headers).every((part) => Object.keys(part).length === 0);
  return { same: body === null || headers === null ? null : same, status, error, body, headers };
}

function headerChanges(before: Json, after: Json, mask: MaskHeader): Readonly<Record<"added" | "removed" | "changed", Json>> {
  const [added, removed, changed] = [new Map<string, unknown>(), new Map<string, unknown>(), new Map<string, unknown>()];
  for (const [name, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) added.set(name, mask(name, value));
    else if (!isDeepStrictEqual(before[name], value)) changed.set(name, { before: mask(name, before[name]), after: mask(name, value) });
  }
  for (const [name, value] of Object.entries(before)) if (!Object.hasOwn(after, name)) removed.set(name, mask(name, value));
  return { added: Object.fromEntries(added), removed: Object.fromEntries(removed), changed: Object.fromEntries(changed) };
}
