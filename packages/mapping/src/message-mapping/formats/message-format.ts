// The format of the source or target of a mapping, as used by the compiler and the runner.
import { asText, textForm } from "@sluice/engine/values";
import type { Incremental } from "../../text/incremental.ts";
import { limitFault } from "../../text/read-fault.ts";

export interface MessageFormat {
  readonly name: string;
  readonly contentType: string;
  /** `read` does not distinguish one element from many. */
  readonly oneOrMany: boolean;
  /** Namespace prefixes that paths may use. */
  readonly prefixes: ReadonlySet<string>;
  /** For languages that read XML; only set for XML formats. */
  readonly xml?: XmlSource;
  /** The data of a body: text or bytes are parsed, data is returned unchanged. Throws a FlowError. */
  read(body: unknown): unknown;
  /** Like `read`, incrementally, for a long body. */
  readIncrementally(body: unknown): Incremental<unknown>;
  /** The body for an output: data for JSON, text for the others. */
  write(output: unknown): unknown;
  /** Like `write`, incrementally, for a long output; only set where writing takes long. */
  writeIncrementally?(output: unknown): Incremental<unknown>;
}

export interface XmlSource {
  readonly namespaces: Readonly<Record<string, string>>;
  /** Writes the result of `read`, or a part of it, as a document; `name` is the name of the root element of a part. */
  textOf(item: unknown, name: string | undefined): string;
}

export type SideReport = (path: string, message: string) => void;

export type FormatOptions = Readonly<Record<string, unknown>>;

const maxInputLength = 64 * 1024 * 1024;

/** The text of a body within the limit; undefined when the body is already data. */
export function textOfBody(body: unknown, decode: (bytes: Uint8Array) => string = asText): string | undefined {
  if (typeof body === "object" && body !== null && textForm in body) return textOfBody(asText(body));
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  if (body.length > maxInputLength)
    throw limitFault(`a message of ${body.length} ${typeof body === "string" ? "characters" : "bytes"} exceeds the limit of ${maxInputLength} for mappings`);
  return typeof body === "string" ? body : decode(body);
}

/** Reads a text option; reports anything else. */
export function textOption(options: FormatOptions, name: string, fallback: string, report: SideReport): string {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value === "string") return value === "\\t" ? "\t" : value;
  report(name, "expected a string");
  return fallback;
}

/** Reads a boolean option; reports anything else. */
export function flagOption(options: FormatOptions, name: string, fallback: boolean, report: SideReport): boolean {
  const value = options[name];
  if (value === undefined || typeof value === "boolean") return value ?? fallback;
  report(name, "expected true or false");
  return fallback;
}

export const noPrefixes: ReadonlySet<string> = new Set();
