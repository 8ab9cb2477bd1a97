import { compilePattern } from "../values/pattern.ts";
import { MockFault } from "./mock-fault.ts";

export type NamePattern = (text: string) => boolean;

const longestPattern = 500;

/** A pattern in a mock: exact text, `*` for any characters, or `/regex/`. */
export function namePattern(text: string, where: string): NamePattern {
  if (text.length > longestPattern) throw new MockFault(`${where} is longer than ${longestPattern} characters`);
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    try {
      const expression = compilePattern(text.slice(1, -1));
      return (name) => expression.matches(name);
    } catch {
      throw new MockFault(`${where} is not a valid regular expression`);
    }
  }
  if (!text.includes("*")) return (name) => name === text;
  const parts = text.split("*");
  return (name) => matchesParts(name, parts);
}

/** Searches each part after the previous one: linear for any pattern. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return position <= name.length - last.length;
}
