import { FlowError } from "@sluice/engine";

/** A write the disk refused, as a route sees it. */
export function storeFailure(error: unknown, what: string): FlowError {
  return new FlowError("java.io.IOException", `${what}: ${(error as Error).message}`, { code: "store-failed", retryable: true, cause: error });
}
