// What a status of HTTP means to a step: the step that calls judges by it, and so does a mock in its place.

/** From the first status to the last, both within. */
export type StatusRange = readonly [first: number, last: number];

/** Reads `200-299` or `204`; undefined for anything else. */
export function readStatusRange(text: string): StatusRange | undefined {
  const match = /^\s*(\d{3})(?:\s*-\s*(\d{3}))?\s*$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2] ?? match[1])];
}

/** Whether the same call may succeed later: the receiver was late, busy or broken. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
