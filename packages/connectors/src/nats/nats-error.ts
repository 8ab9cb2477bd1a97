import { FlowError, isFlowError } from "@sluice/engine/spi";

/** Converts a failure of the client to the exception that Camel's component would throw. */
export function natsError(thrown: unknown, subject: string): FlowError {
  if (isFlowError(thrown)) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const failure = (type: string, code: string, retryable: boolean, message: string): FlowError =>
    new FlowError(type, message, { code, retryable, cause: new FlowError("java.lang.Exception", error.message) });
  if (error.name === "TimeoutError")
    return failure("java.util.concurrent.TimeoutException", "nats-timeout", true, `no response from NATS for '${subject}' within the timeout`);
  if (isA(error, "NoRespondersError"))
    return failure(
      "java.util.concurrent.CancellationException",
      "nats-no-responders",
      true,
      `'${subject}' has no receivers: no subscription or stream uses this subject`,
    );
  if (error.name === "JetStreamApiError" || error.name === "JetStreamError")
    return failure("io.nats.client.JetStreamApiException", "nats-jetstream", false, `JetStream rejected '${subject}': ${error.message}`);
  if (isA(error, "PermissionViolationError") || isA(error, "AuthorizationError"))
    return failure("java.io.IOException", "nats-not-allowed", false, `NATS rejected '${subject}': ${error.message}`);
  return failure("java.io.IOException", "nats-failed", true, `could not send the message to NATS subject '${subject}': ${error.message}`);
}

/** The client wraps the failures of requests and publications. */
function isA(error: Error, name: string): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at.name === name) return true;
  return false;
}
