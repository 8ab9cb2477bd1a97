import { FlowError } from "../errors/flow-error.ts";

/** Maximum length of a string an expression may create, in characters. */
export const maxTextLength = 64 * 1024 * 1024;
/** Maximum length of a list an expression may generate, such as a range. */
const maxListLength = 1_000_000;

/** Throws when a string of this length must not be created. */
export function checkTextLength(length: number): void {
  if (length > maxTextLength) throw sizeError(`text must not be longer than ${maxTextLength} characters`);
}

/** Returns the text unless it exceeds the limit for expressions. */
export function boundedText(text: string): string {
  checkTextLength(text.length);
  return text;
}

export function checkListLength(length: number, limit = maxListLength): void {
  if (length > limit) throw sizeError(`the list must not have more than ${limit} elements`);
}

/** Maximum parts an expression may split a string into, and maximum elements it may sort or iterate. */
export const maxParts = 200_000;

/** Throws for more parts than an expression, which cannot be interrupted, may process. */
export function checkPartCount(count: number): void {
  if (count > maxParts) throw sizeError(`an expression can process at most ${maxParts} parts or elements: use the split step, which processes them one by one`);
}

/** Throws for a string that is too long for an expensive function. */
export function checkWork(name: string, length: number, limit: number): void {
  if (length > limit)
    throw new FlowError("java.lang.IllegalStateException", `time limit: ${name} accepts text of up to ${limit} characters`, { code: "limit-time" });
}

function sizeError(message: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${message}`, { code: "limit-size" });
}
