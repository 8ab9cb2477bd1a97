/** Text on one line without control characters: content from outside must not control the terminal. */
export function plainText(value: unknown): string {
  // oxlint-disable-next-line no-control-regex -- these characters are removed
  return String(value ?? "").replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, " ");
}

/** Text whose lines are kept; other control characters are removed. */
export const withoutControls = (text: string): string => text.split("\n").map(plainText).join("\n");
