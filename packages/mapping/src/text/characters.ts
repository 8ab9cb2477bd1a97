// Texts by what people count as characters of a code: the two halves that JavaScript makes of one beyond the basic plane stay
// together, for half of one cannot be written.

const halves = /[\ud800-\udfff]/;

/** True for a text that JavaScript counts otherwise than people do. */
export const hasHalves = (text: string): boolean => halves.test(text);

export function characterCount(text: string): number {
  if (!hasHalves(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The characters from one position to before another, as `slice` has it; positions are not negative. */
export function part(text: string, from: number, to?: number): string {
  return hasHalves(text) ? [...text].slice(from, to).join("") : text.slice(from, to);
}

/** {@link part} of one text many times over. */
export function cutter(text: string): (from: number, to: number) => string {
  if (!hasHalves(text)) return (from, to) => text.slice(from, to);
  const characters = [...text];
  return (from, to) => characters.slice(from, to).join("");
}

/** What is missing of a text to a length, made of the filler. */
export function filling(text: string, length: number, filler: string): string {
  const missing = length - characterCount(text);
  return missing <= 0 || filler === "" ? "" : part(filler.repeat(Math.ceil(missing / characterCount(filler))), 0, missing);
}
