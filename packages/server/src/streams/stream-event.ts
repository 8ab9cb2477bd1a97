import type { BodyDetail, EventFacts } from "./stream-filter.ts";

/** An event of a stream. It holds what it tells as it was; its text is made when a client is given it. */
export interface StreamEvent {
  /** Its place in the stream, 0 before it has one. */
  number: number;
  /** Its text, once more than one client asked for it. */
  kept: { readonly detail: BodyDetail; readonly text: string } | undefined;
  readonly facts: EventFacts;
  /** Estimated memory. */
  readonly bytes: number;
  /** Makes its text, which begins with the id. */
  write(id: string, detail: BodyDetail): string;
}

/** An event that is rare enough to be a function. */
export function plainEvent(facts: EventFacts, bytes: number, write: StreamEvent["write"]): StreamEvent {
  return { number: 0, kept: undefined, facts, bytes, write };
}
