// Converts values to statement parameters, and database numbers to JavaScript numbers.
import { asText, isStream } from "@sluice/engine/values";
import type { Dialect } from "./database.ts";
import { sqlInputError } from "./sql-failure.ts";

/** A value in a form that drivers accept: text, number, boolean, bytes or null. Maps and lists become JSON text. */
export function boundValue(value: unknown, dialect: Dialect): unknown {
  switch (typeof value) {
    case "undefined":
      return null;
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return dialect === "sqlite" ? Number(value) : value;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : boundObject(value, dialect);
    default:
      throw sqlInputError("sql-parameters", `a ${typeof value} cannot be a parameter of a statement`);
  }
}

function boundObject(value: object, dialect: Dialect): unknown {
  if (value instanceof Date) return dateText(value, dialect);
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isStream(value))
    throw sqlInputError("sql-parameters", "a stream cannot be a parameter of a statement; convert it to text or bytes first (convertBodyTo)");
  return asText(value);
}

/** In UTC: drivers would use the time zone of the machine. */
function dateText(date: Date, dialect: Dialect): string {
  if (Number.isNaN(date.getTime())) throw sqlInputError("sql-parameters", "an invalid date cannot be a parameter of a statement");
  const text = date.toISOString();
  return dialect === "mysql" ? text.slice(0, -1).replace("T", " ") : text;
}

/** A decimal or long number as a JavaScript number if that is exact, otherwise as text. */
export function exactNumber(text: string): number | string {
  const value = Number(text);
  if (Number.isInteger(value)) {
    if (Number.isSafeInteger(value) && !/\.\d*[1-9]/.test(text)) return value;
    return text;
  }
  const [, sign = "", digits = text] = /^(-?)(.*)$/.exec(text) ?? [];
  const plain = digits.includes(".") ? digits.replace(/0+$/, "").replace(/^0+(?=\d)/, "") : digits;
  return String(value) === `${sign}${plain}` ? value : text;
}

/** Converts `2026-01-05 10:00:00` to ISO format. */
export const isoText = (text: string): string => text.replace(" ", "T");
