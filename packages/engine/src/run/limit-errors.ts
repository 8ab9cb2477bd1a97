// Errors for exceeded limits of a route.
import { FlowError } from "../errors/flow-error.ts";

export function inflightLimitError(routeId: string, limit: number): FlowError {
  return new FlowError(
    "java.util.concurrent.RejectedExecutionException",
    `route '${routeId}' has reached its limit for runs in flight (${limit}); try again later`,
    {
      code: "limit-inflight",
      retryable: true,
    },
  );
}

export function detachedLimitError(routeId: string): FlowError {
  return new FlowError(
    "java.util.concurrent.RejectedExecutionException",
    `route '${routeId}' has too many detached copies, such as those of wireTap, waiting to run; send it fewer messages at a time`,
    {
      code: "limit-inflight",
    },
  );
}

export function callDepthError(routeId: string, limit: number): FlowError {
  return new FlowError("java.lang.IllegalStateException", `call depth: route '${routeId}' is called more than ${limit} levels deep`, {
    code: "limit-call-depth",
  });
}
