// Messages as text: formatted for reading and comparing, or as one short line.
import type { ShownMessage } from "../simulation/shown-message.ts";

export const messageParts = ["body", "headers", "properties", "variables"] as const;
export type MessagePart = (typeof messageParts)[number];

/** A simulated or recorded message; a recorded one may lack some parts. */
export type PartialMessage = Pick<ShownMessage, "body"> & Partial<Omit<ShownMessage, "body" | "bodyType">>;

export function partText(message: PartialMessage | undefined, part: MessagePart): string {
  if (message === undefined) return "";
  if (part === "body") return bodyText(message.body);
  return Object.entries(message[part] ?? {})
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** Number of entries of a part; undefined for the body. */
export const partSize = (message: PartialMessage | undefined, part: MessagePart): number | undefined =>
  part === "body" ? undefined : Object.keys(message?.[part] ?? {}).length;

/** A formatted body: indented JSON for data and JSON text, everything else unchanged. */
export function bodyText(body: unknown): string {
  if (body === null || body === undefined) return "";
  if (typeof body !== "string") return JSON.stringify(body, null, 2);
  if (!/^\s*[[{]/.test(body)) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const maxSummaryLength = 32;

/** A short text for a body. */
export function bodySummary(body: unknown): string {
  if (body === null || body === undefined) return "∅";
  const text = (typeof body === "string" ? body : JSON.stringify(body)).replaceAll(/\s+/g, " ").trim();
  return text.length <= maxSummaryLength ? text : `${text.slice(0, maxSummaryLength - 1)}…`;
}
