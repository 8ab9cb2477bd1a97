import { FlowError } from "@sluice/engine/spi";

/** An input that is invalid in its format; a client error, so a webhook may reply 400. */
export function readFault(format: string, message: string): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", message, { code: `invalid-${format}`, details: { clientFault: true } });
}

/** An input or output that exceeds a limit. */
export function limitFault(message: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${message}`, { code: "limit-mapping", details: { clientFault: true } });
}
