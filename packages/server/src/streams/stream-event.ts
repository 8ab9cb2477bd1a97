import type { BodyDetail, EventDetails } from "./stream-filter.ts";

/** An event of a stream. Its data is a snapshot; its text is created when it is sent. */
export interface StreamEvent {
  /** The event's number in the stream; 0 before one is assigned. */
  number: number;
  /** The event's text, cached once several clients need it. */
  cached: { readonly detail: BodyDetail; readonly text: string } | undefined;
  readonly details: EventDetails;
  /** From another process. */
  readonly isForwarded?: boolean;
  /** Estimated memory. */
  readonly bytes: number;
  /** Creates its text, which starts with the id. */
  write(id: string, detail: BodyDetail): string;
}

/** Creates an event whose text is written by a function. */
export function plainEvent(details: EventDetails, bytes: number, write: StreamEvent["write"]): StreamEvent {
  return { number: 0, cached: undefined, details, bytes, write };
}
