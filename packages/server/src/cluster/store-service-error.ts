import { isClusterError } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";

/** The reply of the API for a write that the store did not accept. */
export function storeServiceError(error: unknown): unknown {
  if (!isClusterError(error)) return error;
  const retryHeaders = { "Retry-After": "1" };
  switch (error.kind) {
    case "conflict":
      return new ServiceError("cluster-conflict", "too many concurrent configuration changes: try again", retryHeaders);
    case "uncertain":
      return new ServiceError(
        "cluster-uncertain",
        "outcome unknown: the cluster store did not confirm the change; read it again to see which version is stored",
        retryHeaders,
      );
    case "too-large":
      return new ServiceError("body-too-large", error.message);
    default:
      return new ServiceError("cluster-unreachable", "cluster store unreachable: nothing was changed", retryHeaders);
  }
}
