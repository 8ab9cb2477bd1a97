import { FlowError, isFlowError } from "@sluice/engine/spi";

/** Converts a failure of the client to the exception that Camel's component would throw. `where` names the exchange or queue. */
export function rabbitError(thrown: unknown, where: string): FlowError {
  if (isFlowError(thrown)) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const failure = (type: string, code: string, retryable: boolean, message: string): FlowError =>
    new FlowError(type, message, { code, retryable, cause: new FlowError("java.io.IOException", error.message) });
  const { code } = error as { readonly code?: unknown };
  if (code === 403 || /ACCESS_REFUSED/.test(error.message))
    return failure(
      "org.springframework.amqp.AmqpAuthenticationException",
      "rabbitmq-not-allowed",
      false,
      `RabbitMQ denied access to ${where}: ${error.message}`,
    );
  // The server closes the channel: the reason names what does not exist or is declared differently.
  if (typeof code === "number" && code >= 400 && code < 500)
    return failure("org.springframework.amqp.AmqpException", "rabbitmq-refused", false, `RabbitMQ rejected ${where}: ${error.message}`);
  return failure(
    "org.springframework.amqp.AmqpConnectException",
    "rabbitmq-lost",
    true,
    `the connection was lost during an operation on ${where}: ${error.message}`,
  );
}

export function confirmTimeout(ms: number, where: string): FlowError {
  return new FlowError("org.springframework.amqp.AmqpTimeoutException", `RabbitMQ did not confirm the message for ${where} within ${ms} ms`, {
    code: "rabbitmq-timeout",
    retryable: true,
  });
}

export function unroutable(where: string, reason: string): FlowError {
  return new FlowError(
    "org.springframework.amqp.AmqpException",
    `no queue received the message for ${where} (${reason}): bind a queue to it, or set confirm=disabled`,
    {
      code: "rabbitmq-unroutable",
    },
  );
}
