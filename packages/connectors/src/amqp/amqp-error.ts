import { FlowError, isFlowError } from "@sluice/engine/spi";

/** Converts a failure of the broker or the client to the matching JMS exception. */
export function jmsError(error: unknown, where: string): FlowError {
  if (isFlowError(error)) return error;
  const problem = error instanceof Error ? error.message : String(error);
  const failure = (type: string, code: string, retryable: boolean): FlowError =>
    new FlowError(type, `'${where}': ${problem}`, { code, retryable, cause: new FlowError("jakarta.jms.JMSException", problem) });
  if (/amqp:unauthorized-access|sasl/i.test(problem)) return failure("jakarta.jms.JMSSecurityException", "jms-not-allowed", false);
  if (/amqp:not-found|amqp:invalid-field|amqp:not-implemented/.test(problem))
    return failure("jakarta.jms.InvalidDestinationException", "jms-no-destination", false);
  if (/amqp:resource-limit-exceeded|amqp:resource-locked/.test(problem)) return failure("jakarta.jms.ResourceAllocationException", "jms-no-resources", true);
  return failure("org.springframework.jms.UncategorizedJmsException", "jms-failed", true);
}

export function notAccepted(outcome: string, where: string, reason: string): FlowError {
  return new FlowError("jakarta.jms.JMSException", `the broker did not accept the message for '${where}' (${outcome}${reason === "" ? "" : `: ${reason}`})`, {
    code: "jms-not-accepted",
    retryable: outcome !== "rejected",
  });
}

export const brokerTimeout = (ms: number, where: string): FlowError =>
  new FlowError("jakarta.jms.JMSException", `no response from the broker for '${where}' within ${ms} ms`, { code: "jms-timeout", retryable: true });
