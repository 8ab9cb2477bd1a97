// What a side of a document says about its format, as the compiler and the runner use it.
import { asText, textForm } from "@sluice/engine/spi";
import { limitFault } from "../../text/read-fault.ts";

export interface MessageFormat {
  readonly name: string;
  readonly contentType: string;
  /** One element and many look alike in what `read` gives. */
  readonly oneOrMany: boolean;
  /** Namespace prefixes that paths may use. */
  readonly prefixes: ReadonlySet<string>;
  /** For languages that read XML; only formats that are XML have it. */
  readonly xml?: XmlSource;
  /** The data of a body: text or bytes are parsed, data is taken as it is. Throws a FlowError. */
  read(body: unknown): unknown;
  /** The body for an output: data for JSON, text for the others. */
  write(output: unknown): unknown;
}

export interface XmlSource {
  readonly namespaces: Readonly<Record<string, string>>;
  /** What `read` gave, or a part of it, as the text of a document; `name` is that of its root element, unless it is the whole. */
  textOf(item: unknown, name: string | undefined): string;
}

export type SideReport = (path: string, message: string) => void;

export type FormatOptions = Readonly<Record<string, unknown>>;

const longestInput = 64 * 1024 * 1024;

/** The text of a body within the limit; undefined when the body is data already. */
export function textOfBody(body: unknown, decode: (bytes: Uint8Array) => string = asText): string | undefined {
  if (typeof body === "object" && body !== null && textForm in body) return textOfBody(asText(body));
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  if (body.length > longestInput) throw limitFault(`a message of ${body.length} characters is more than the ${longestInput} a mapping takes`);
  return typeof body === "string" ? body : decode(body);
}

/** Reads an option of text; reports anything else. */
export function textOption(options: FormatOptions, name: string, fallback: string, report: SideReport): string {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value === "string") return value === "\\t" ? "\t" : value;
  report(name, "expected text");
  return fallback;
}

/** Reads an option of true or false; reports anything else. */
export function flagOption(options: FormatOptions, name: string, fallback: boolean, report: SideReport): boolean {
  const value = options[name];
  if (value === undefined || typeof value === "boolean") return value ?? fallback;
  report(name, "expected true or false");
  return fallback;
}

export const noPrefixes: ReadonlySet<string> = new Set();
