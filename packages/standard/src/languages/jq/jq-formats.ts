import { checkWork } from "@sluice/engine/values";
import { encodeBase64 } from "../../formats/base64/base64-text.ts";
import type { JqMachine } from "./jq-machine.ts";
import { describe, fail, toJson, toText } from "./jq-values.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&quot;" };

type Format = (value: unknown, machine: JqMachine) => string;

const formats: Readonly<Record<string, Format>> = {
  "@text": toText,
  "@json": toJson,
  "@csv": (value, machine) => row(value, "csv", ",", (text) => `"${text.replaceAll('"', '""')}"`, machine),
  "@tsv": (value, machine) =>
    row(value, "tsv", "\t", (text) => text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r"), machine),
  "@html": (value, machine) => toText(value, machine).replaceAll(/[<>&'"]/g, (character) => entities[character] as string),
  "@uri": (value, machine) => encodeUri(inputText("@uri", value, machine)),
  "@sh": (value, machine) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((item) => (machine.spend(workOfItem), quoteShell(item, machine))).join(" "),
  "@base64": (value, machine) => encodeBase64(encoder.encode(toText(value, machine))),
  "@base64d": (value, machine) => decodeBits(inputText("@base64d", value, machine), alphabet, 6, "base64"),
  "@base32": (value, machine) => encodeBase32(encoder.encode(inputText("@base32", value, machine))),
  "@base32d": (value, machine) => decodeBits(inputText("@base32d", value, machine), alphabet32, 5, "base32"),
};

/** The names of jq's formats, with their `@`. */
export const formatNames: readonly string[] = Object.keys(formats);

/** Formats a value with one of jq's `@` formats. */
export function formatValue(name: string, value: unknown, machine: JqMachine): string {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) return fail(`${name.slice(1)} is not a valid format`);
  const text = format(value, machine);
  machine.chargeText(text.length);
  return text;
}

/** Work of quoting one item, in steps of a program. */
const workOfItem = 4;
/** Maximum number of characters to convert. This many take about 50 ms, and the conversion cannot be interrupted. */
const maxConverted = 500_000;

/** The text to convert, if it is not longer than the limit. */
function inputText(format: string, value: unknown, machine: JqMachine): string {
  const text = toText(value, machine);
  checkWork(`the jq format ${format}`, text.length, maxConverted);
  return text;
}

function row(value: unknown, name: string, separator: string, quote: (text: string) => string, machine: JqMachine): string {
  if (!Array.isArray(value)) return fail(`${describe(value)} cannot be ${name}-formatted, only an array can be`);
  return (value as unknown[])
    .map((item) => {
      machine.spend(workOfItem);
      if (item === null || item === undefined) return "";
      if (typeof item === "string") return quote(item);
      return typeof item === "object" ? fail(`${describe(item)} is not valid in a ${name} row`) : toJson(item, machine);
    })
    .join(separator);
}

function encodeUri(text: string): string {
  let result = "";
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte);
    result += /[A-Za-z0-9\-_.~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

function quoteShell(value: unknown, machine: JqMachine): string {
  if (typeof value === "string") return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  return typeof value === "object" && value !== null ? fail(`${describe(value)} can not be escaped for shell`) : toJson(value, machine);
}

function encodeBase32(bytes: Uint8Array): string {
  let result = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; count -= 5) result += alphabet32.charAt((bits >> (count - 5)) & 31);
    bits &= (1 << count) - 1;
  }
  if (count > 0) result += alphabet32.charAt((bits << (5 - count)) & 31);
  return result + "=".repeat((8 - (result.length % 8)) % 8);
}

function decodeBits(text: string, letters: string, width: number, name: string): string {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  const data = text.replace(/(?<!=)=+$/, "");
  for (const character of data) {
    const value = letters.indexOf(character);
    if (value < 0) return fail(`${describe(text)} is not valid ${name} data`);
    bits = ((bits << width) | value) & 0xffff;
    count += width;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  if (bytes.length === 0 && data !== "") return fail(`${describe(text)} is not valid ${name} data`);
  return decoder.decode(Uint8Array.from(bytes));
}
