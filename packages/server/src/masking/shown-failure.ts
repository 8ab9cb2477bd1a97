import { maskUris } from "./secret-uris.ts";
import type { SecretValues } from "./secret-values.ts";

interface Failure {
  readonly type: string;
  readonly message: string;
  readonly stepId?: string | null | undefined;
}

export interface ShownFailure {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | null;
}

/** The failure of a run with masked secrets. */
export function shownFailure(failure: Failure | null | undefined, secrets: SecretValues): ShownFailure | null {
  if (failure === undefined || failure === null) return null;
  return { type: failure.type, message: secrets.records.scrub(maskUris(failure.message)), stepId: failure.stepId ?? null };
}
