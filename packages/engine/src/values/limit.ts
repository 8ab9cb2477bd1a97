import { FlowError } from "../errors/flow-error.ts";

/** The longest text an expression may make, in characters. */
export const longestText = 64 * 1024 * 1024;
/** The longest list an expression may make out of nothing, such as a range. */
export const longestList = 1_000_000;

/** Throws when a text of this length must not be made. */
export function checkTextLength(length: number): void {
  if (length > longestText) throw sizeError(`a text may not be longer than ${longestText} characters`);
}

/** The text, unless it is longer than an expression may make. */
export function boundedText(text: string): string {
  checkTextLength(text.length);
  return text;
}

export function checkListLength(length: number): void {
  if (length > longestList) throw sizeError(`a list made by an expression may not hold more than ${longestList} elements`);
}

function sizeError(what: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${what}`, { code: "limit-size" });
}
