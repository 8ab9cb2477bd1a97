/** V8 always copies shorter substrings. */
const minViewLength = 13;

/** Copies a string: a substring is a view of the original string and keeps all of it alive. Use it for strings that are stored. */
export function copyString(text: string): string {
  // Concatenation creates a new string; slicing that one retains only one extra character.
  return text.length < minViewLength ? text : `_${text}`.slice(1);
}
