import { isClusterError } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";

/** Converts an error of the store to the error that the API returns. */
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
    case "full":
      return new ServiceError("cluster-unreachable", `${error.message}; nothing was changed`, retryHeaders);
    case "too-large":
      return new ServiceError("body-too-large", error.message);
    default:
      return new ServiceError("cluster-unreachable", "cluster store unreachable: nothing was changed", retryHeaders);
  }
}
