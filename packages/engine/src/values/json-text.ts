// JSON text → values, keeping whole numbers that a double cannot hold: they are bigint in a message. asJson writes them back.

const longNumber = /\d{16}/;
/** Digits of a whole number that is read: reading takes time by the square of its length. */
export const longestWholeNumber = 1000;
const mark = "\u0000n";
const writtenMark = String.raw`\u0000n`;

/** A whole number is too long to be read. */
export class LongNumberError extends Error {}

/** The value of a JSON text. Throws as JSON.parse does, and a {@link LongNumberError}. */
export function parseJsonText(text: string): unknown {
  if (!longNumber.test(text) || text.includes(writtenMark)) return JSON.parse(text) as unknown;
  const marked = markLongNumbers(text);
  if (marked === text) return JSON.parse(text) as unknown;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  ) as unknown;
}

/** Strings are stepped over by hand: a regular expression would need a stack as deep as the longest of them. */
function markLongNumbers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const opening = text.indexOf('"', at);
    const between = text.slice(at, opening < 0 ? text.length : opening);
    parts.push(longNumber.test(between) ? between.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g, marked) : between);
    at = opening < 0 ? text.length : jsonStringEnd(text, opening);
    if (opening >= 0) parts.push(text.slice(opening, at));
  }
  return parts.join("");
}

function marked(token: string): string {
  if (!/^-?[1-9]\d{15,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
  if (token.length > longestWholeNumber) throw new LongNumberError(`a whole number has more than ${longestWholeNumber} digits`);
  return `"${writtenMark}${token}"`;
}

/** Behind the quote that closes the string. */
export function jsonStringEnd(text: string, opening: number): number {
  for (let quote = text.indexOf('"', opening + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === 0x5c) before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}
