// Text operations by code point: surrogate pairs stay together, because a lone surrogate cannot be encoded.

const surrogates = /[\ud800-\udfff]/;

/** True for a string that contains surrogate pairs. */
export const hasSurrogates = (text: string): boolean => surrogates.test(text);

export function characterCount(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Like `slice`, by code points; positions are not negative. */
export function sliceCharacters(text: string, from: number, to?: number): string {
  return hasSurrogates(text) ? [...text].slice(from, to).join("") : text.slice(from, to);
}

/** {@link sliceCharacters} for repeated use on one string. */
export function characterSlicer(text: string): (from: number, to: number) => string {
  if (!hasSurrogates(text)) return (from, to) => text.slice(from, to);
  const characters = [...text];
  return (from, to) => characters.slice(from, to).join("");
}

/** The padding a string needs to reach a length. */
export function padding(text: string, length: number, filler: string): string {
  const missing = length - characterCount(text);
  return missing <= 0 || filler === "" ? "" : sliceCharacters(filler.repeat(Math.ceil(missing / characterCount(filler))), 0, missing);
}
