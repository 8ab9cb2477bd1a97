// Text functions. Positions count code points from 0, so 😀 counts as one; null returns null, so that a missing field stays missing.
import { asJson, boundedText, checkListLength, checkTextLength, compilePattern, isJsonLimitError, parsePlainJson } from "@sluice/engine/values";
import { characterCount, padding, sliceCharacters } from "../../text/characters.ts";
import { MappingFault } from "../mapping-fault.ts";
import { areEqual, isNothing, toList, toNumber, toText } from "../values.ts";
import { define, withPattern, type LanguageFunction, type LanguageFunctions } from "./language-function.ts";

/** A function of a string that returns null for null. */
function ofText(min: number, max: number, apply: (text: string, ...more: any[]) => unknown): LanguageFunction {
  return define(min, max, (value, ...more) => (isNothing(value) ? null : apply(toText(value), ...more)));
}

export const textFunctions: LanguageFunctions = {
  text: ofText(1, 1, (text) => text),
  string: ofText(1, 1, (text) => text),
  upper: ofText(1, 1, (text) => text.toUpperCase()),
  lower: ofText(1, 1, (text) => text.toLowerCase()),
  capitalize: ofText(1, 1, (text) => sliceCharacters(text, 0, 1).toUpperCase() + sliceCharacters(text, 1)),
  trim: ofText(1, 1, (text) => text.trim()),
  trimStart: ofText(1, 1, (text) => text.trimStart()),
  trimEnd: ofText(1, 1, (text) => text.trimEnd()),
  normalizeSpace: ofText(1, 1, (text) => text.trim().replaceAll(/\s+/g, " ")),
  length: define(1, 1, (value) => (isNothing(value) ? 0 : Array.isArray(value) ? value.length : characterCount(toText(value)))),
  substring: ofText(2, 3, (text, start, length) => {
    const from = position(start, text);
    return isNothing(length) ? sliceCharacters(text, from) : sliceCharacters(text, from, from + amount(length));
  }),
  left: ofText(2, 2, (text, length) => sliceCharacters(text, 0, amount(length))),
  right: ofText(2, 2, (text, length) => sliceCharacters(text, Math.max(0, characterCount(text) - amount(length)))),
  substringBefore: ofText(2, 2, (text, mark) => (text.includes(toText(mark)) ? text.slice(0, text.indexOf(toText(mark))) : "")),
  substringAfter: ofText(2, 2, (text, mark) => (text.includes(toText(mark)) ? text.slice(text.indexOf(toText(mark)) + toText(mark).length) : "")),
  padStart: ofText(2, 3, (text, length, fill) => checkedPadding(text, length, fill) + text),
  padEnd: ofText(2, 3, (text, length, fill) => text + checkedPadding(text, length, fill)),
  trimZeros: ofText(1, 1, (text) => text.replace(/^0+(?=.)/, "")),
  repeat: ofText(2, 2, (text, times) => {
    const count = Math.max(0, Math.trunc(toNumber(times) ?? 0));
    checkTextLength(text.length * count);
    return text.repeat(count);
  }),
  replace: ofText(3, 3, (text, what, by) => (toText(what) === "" ? text : boundedText(text.replaceAll(toText(what), () => toText(by))))),
  replacePattern: withPattern(
    ofText(3, 3, (text, pattern, by) => boundedText(compilePattern(toText(pattern)).replaceAll(text, toText(by)))),
    compilePattern,
  ),
  matches: withPattern(
    define(2, 2, (value, pattern) => !isNothing(value) && compilePattern(toText(pattern)).matches(toText(value))),
    compilePattern,
  ),
  extract: withPattern(
    ofText(2, 3, (text, pattern, group) => compilePattern(toText(pattern)).exec(text)?.[toNumber(group ?? 0) ?? 0] ?? null),
    compilePattern,
  ),
  contains: define(2, 2, (value, what) =>
    Array.isArray(value) ? value.some((item) => areEqual(item, what)) : !isNothing(value) && toText(value).includes(toText(what)),
  ),
  startsWith: define(2, 2, (value, what) => !isNothing(value) && toText(value).startsWith(toText(what))),
  endsWith: define(2, 2, (value, what) => !isNothing(value) && toText(value).endsWith(toText(what))),
  indexOf: define(2, 2, (value, what) =>
    Array.isArray(value) ? value.findIndex((item) => areEqual(item, what)) : isNothing(value) ? -1 : indexIn(toText(value), toText(what)),
  ),
  split: ofText(2, 2, (text, separator) => {
    const parts = toText(separator) === "" ? [...text] : text.split(toText(separator));
    checkListLength(parts.length);
    return parts;
  }),
  concat: define(1, 100, (...values) => boundedText(values.map(toText).join(""))),
  join: define(1, 2, (values, separator) =>
    boundedText(
      toList(values)
        .filter((item) => !isNothing(item))
        .map(toText)
        .join(isNothing(separator) ? "" : toText(separator)),
    ),
  ),
  urlEncode: ofText(1, 1, (text) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\uFFFD"))),
  json: define(1, 1, (value) => asJson(value ?? null)),
  parseJson: ofText(1, 1, (text) => {
    try {
      return parsePlainJson(text);
    } catch (error) {
      const reason = isJsonLimitError(error) ? error.describe("the text") : "the text is not valid JSON";
      throw new MappingFault("expression", `parseJson: ${reason}`, text);
    }
  }),
};

const amount = (length: unknown): number => Math.max(0, Math.trunc(toNumber(length) ?? 0));

function position(start: unknown, text: string): number {
  const at = Math.trunc(toNumber(start) ?? 0);
  return at < 0 ? Math.max(0, characterCount(text) + at) : at;
}

function indexIn(text: string, what: string): number {
  const found = text.indexOf(what);
  return found < 0 ? found : characterCount(text.slice(0, found));
}

function checkedPadding(text: string, length: unknown, fill: unknown): string {
  const targetLength = amount(length);
  checkTextLength(targetLength);
  return padding(text, targetLength, isNothing(fill) ? " " : toText(fill));
}
