import { FlowError } from "@sluice/engine";

/** A failed write. */
export class StoreError extends Error {
  /** A disk error: the same write may succeed later. */
  readonly isDisk: boolean;

  constructor(message: string, isDisk: boolean) {
    super(message);
    this.name = "StoreError";
    this.isDisk = isDisk;
  }
}

/** A failed write as reported to a route; retryable for disk errors. */
export function storeFailure(error: unknown, what: string): FlowError {
  const retryable = error instanceof StoreError && error.isDisk;
  return new FlowError("java.io.IOException", `${what}: ${(error as Error).message}`, { code: "store-failed", retryable, cause: error });
}
