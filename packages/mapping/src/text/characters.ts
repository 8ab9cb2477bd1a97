// Text operations by code point: surrogate pairs stay together, because half of a pair cannot be encoded.

const halves = /[\ud800-\udfff]/;

/** True for a string that contains surrogate pairs. */
export const hasHalves = (text: string): boolean => halves.test(text);

export function characterCount(text: string): number {
  if (!hasHalves(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Like `slice`, by code points; positions are not negative. */
export function part(text: string, from: number, to?: number): string {
  return hasHalves(text) ? [...text].slice(from, to).join("") : text.slice(from, to);
}

/** {@link part} for repeated use on one string. */
export function cutter(text: string): (from: number, to: number) => string {
  if (!hasHalves(text)) return (from, to) => text.slice(from, to);
  const characters = [...text];
  return (from, to) => characters.slice(from, to).join("");
}

/** The padding a string needs to reach a length. */
export function filling(text: string, length: number, filler: string): string {
  const missing = length - characterCount(text);
  return missing <= 0 || filler === "" ? "" : part(filler.repeat(Math.ceil(missing / characterCount(filler))), 0, missing);
}
