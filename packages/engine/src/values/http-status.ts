// How a step interprets an HTTP status; shared by the HTTP step and its mocks.

/** First and last status, both inclusive. */
export type StatusRange = readonly [first: number, last: number];

/** Reads `200-299` or `204`; undefined for anything else. */
export function readStatusRange(text: string): StatusRange | undefined {
  const match = /^\s*(\d{3})(?:\s*-\s*(\d{3}))?\s*$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2] ?? match[1])];
}

/** Whether the same call may succeed later: the receiver timed out, was busy or failed. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
