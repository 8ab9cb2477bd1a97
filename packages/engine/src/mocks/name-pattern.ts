import { starPattern } from "@sluice/model";
import { compilePattern } from "../values/pattern.ts";
import { InvalidMockError } from "./invalid-mock-error.ts";

export type NamePattern = (text: string) => boolean;

const maxPatternLength = 500;

/** A pattern in a mock: exact text, `*` for any characters, or `/regex/`. */
export function namePattern(text: string, where: string): NamePattern {
  if (text.length > maxPatternLength) throw new InvalidMockError(`${where} is longer than ${maxPatternLength} characters`);
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    try {
      const expression = compilePattern(text.slice(1, -1));
      return (name) => expression.matches(name);
    } catch {
      throw new InvalidMockError(`${where} is not a valid regular expression`);
    }
  }
  return starPattern(text);
}
