// CloudEvents over HTTP: attributes in `ce-…` headers with the data as the body (binary), or everything in one JSON document (structured).
import type { Exchange, Message } from "@sluice/engine/spi";
import { asText, parsePlainJson } from "@sluice/engine/values";

/** The CloudEvents attributes and the message headers that contain them. */
const attributes = {
  id: "CamelCloudEventID",
  source: "CamelCloudEventSource",
  type: "CamelCloudEventType",
  specversion: "CamelCloudEventVersion",
  subject: "CamelCloudEventSubject",
  time: "CamelCloudEventTime",
  dataschema: "CamelCloudEventSchemaURL",
} as const;

const contentTypeHeader = "CamelCloudEventDataContentType";
const structured = /^application\/cloudevents\+json\b/i;

/** Sets the attributes of a received event as headers; a structured event is replaced by its data. */
export function readCloudEvent(message: Message): void {
  const { headers } = message;
  const contentType = asText(headers.get("Content-Type") ?? "");
  const event = structured.test(contentType) ? structuredEvent(message.body) : undefined;
  for (const [attribute, header] of Object.entries(attributes)) {
    const value = event === undefined ? headers.get(`ce-${attribute}`) : event[attribute];
    if (value !== undefined && value !== null) headers.set(header, asText(value));
  }
  if (event === undefined) {
    if (contentType !== "" && headers.get("ce-id") !== undefined) headers.set(contentTypeHeader, contentType);
    return;
  }
  message.body = typeof event["data_base64"] === "string" ? new Uint8Array(Buffer.from(event["data_base64"], "base64")) : (event["data"] ?? null);
  const dataType = asText(event["datacontenttype"] ?? "application/json");
  headers.set(contentTypeHeader, dataType);
  headers.set("Content-Type", dataType);
}

/** Undefined for a body that is not a JSON object: the route gets it unchanged. */
function structuredEvent(body: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const event = parsePlainJson(asText(body));
    return typeof event === "object" && event !== null ? (event as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

export interface EventDefaults {
  readonly type: string;
  readonly specVersion: string;
  readonly source: string;
  now(): number;
}

/** The HTTP headers of an event to send. Attributes that the route sets as headers take precedence. */
export function cloudEventHeaders({ id, message: { headers } }: Exchange, defaults: EventDefaults): Record<string, string> {
  const routeHeader = (name: string): string | undefined => {
    const value = headers.getOwn(name);
    return value === undefined || value === null ? undefined : asText(value);
  };
  const eventHeaders: Record<string, string> = {
    "ce-id": id,
    "ce-source": defaults.source,
    "ce-type": defaults.type,
    "ce-specversion": defaults.specVersion,
    "ce-time": new Date(defaults.now()).toISOString(),
  };
  for (const [attribute, header] of Object.entries(attributes)) {
    const value = routeHeader(header);
    if (value !== undefined) eventHeaders[`ce-${attribute}`] = value;
  }
  const contentType = routeHeader(contentTypeHeader);
  return contentType === undefined ? eventHeaders : { ...eventHeaders, "content-type": contentType };
}
