// Moves nodes bound from a Kamelet's file to the position in the flow where the Kamelet is used, and keeps their position in the file for
// messages.
import type { Diagnostic, Span } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";

export interface KameletSource {
  readonly kamelet: string;
  readonly file: string;
}

/** A copy of `value` in which every span is `use`, with the line in the Kamelet's file. */
export function relocate<T>(value: T, use: Span, source: KameletSource): T {
  if (Array.isArray(value)) return value.map((item) => relocate(item as unknown, use, source)) as T;
  if (typeof value !== "object" || value === null) return value;
  if (isSpan(value)) return { ...use, within: { ...source, line: value.line } } as T;
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) copy[key] = relocate(member as unknown, use, source);
  return copy as T;
}

function isSpan(value: object): value is Span {
  const { line, start, end, endLine } = value as Partial<Record<keyof Span, unknown>>;
  return typeof line === "number" && typeof start === "number" && typeof end === "number" && typeof endLine === "number";
}

/** Reports an error in a Kamelet's file as an error of the flow that uses it. */
export function faultWithin({ code, message, hint, span }: Pick<Diagnostic, "code" | "message" | "hint" | "span">, source: KameletSource): CompileError {
  return new CompileError(code, messageWithin(message, { ...source, line: span.line }), hint === undefined ? {} : { hint });
}

export function messageWithin(message: string, { kamelet, file, line }: NonNullable<Span["within"]>): string {
  return `${message} (in Kamelet '${kamelet}', ${file}:${line})`;
}
