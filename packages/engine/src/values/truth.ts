import { asText } from "./text.ts";

/** A value as a predicate: null, false, blank text, the text "false" and an empty list are false; everything else, including 0, is true. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (value === null || value === undefined) return false;
  if (typeof value === "string") return isTrueText(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Uint8Array) return isTrueText(asText(value));
  return true;
}

function isTrueText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed.toLowerCase() !== "false";
}
