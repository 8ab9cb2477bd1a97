import { FlowError } from "@sluice/engine/spi";

/** An input that is not what its format says; the sender's fault, so a webhook may answer so. */
export function readFault(format: string, message: string): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", message, { code: `invalid-${format}`, details: { clientFault: true } });
}

/** An input or output that is larger than the runtime allows. */
export function limitFault(message: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${message}`, { code: "limit-mapping", details: { clientFault: true } });
}
