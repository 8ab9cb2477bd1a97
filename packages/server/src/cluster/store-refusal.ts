import { isClusterError } from "@sluice/engine";
import { Refusal } from "../refusal.ts";

/** The reply of the API for a write that the store did not accept. */
export function storeRefusal(error: unknown): unknown {
  if (!isClusterError(error)) return error;
  const retryHeaders = { "Retry-After": "1" };
  switch (error.kind) {
    case "conflict":
      return new Refusal("cluster-conflict", "too many concurrent configuration changes: try again", retryHeaders);
    case "uncertain":
      return new Refusal(
        "cluster-uncertain",
        "outcome unknown: the cluster store did not confirm the change; read it again to see which version is stored",
        retryHeaders,
      );
    case "too-large":
      return new Refusal("body-too-large", error.message);
    default:
      return new Refusal("cluster-unreachable", "cluster store unreachable: nothing was changed", retryHeaders);
  }
}
