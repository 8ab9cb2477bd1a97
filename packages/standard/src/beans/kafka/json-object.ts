// Input of the field transforms: the body as a JSON object, parsed or as text.
import { FlowError, type Exchange } from "@sluice/engine/spi";
import { asText, copyJson, isStream, jsonView } from "@sluice/engine/values";

export type JsonObject = Record<string, unknown>;

/** The body as a mutable JSON value; throws when it is not JSON. */
export function jsonBody({ message: { body } }: Exchange): unknown {
  const value = typeof body === "string" || body instanceof Uint8Array ? jsonView(body) : body;
  if (typeof value === "object" && value !== null && !isStream(value)) return copyJson(value);
  throw new FlowError("org.apache.camel.InvalidPayloadException", "the body is not JSON; convert it to JSON first", { code: "kafka-transform" });
}

/** The body as a JSON object. */
export function objectBody(exchange: Exchange): JsonObject {
  const value = jsonBody(exchange);
  if (!Array.isArray(value)) return value as JsonObject;
  throw new FlowError("org.apache.camel.InvalidPayloadException", "the body is a JSON array, but an object is required", { code: "kafka-transform" });
}

/** The comma-separated parts of a string; none if it is absent or empty. */
export const namesIn = (text: unknown): readonly string[] => (typeof text === "string" && text !== "" ? text.split(",") : []);

/** An exchange property as text: the public Kamelets pass parameters this way. */
export function textProperty(exchange: Exchange, name: string): string | undefined {
  const value = exchange.property(name);
  return value === undefined || value === null || value === "" ? undefined : asText(value);
}
