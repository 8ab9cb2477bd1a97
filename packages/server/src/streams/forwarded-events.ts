// Republishes events of other processes on the stream of this process, with new ids.
import type { EventHub } from "./event-hub.ts";
import { plainEvent } from "./stream-event.ts";
import type { BodyDetail, EventDetails } from "./stream-filter.ts";

export interface ForwardedEvents {
  readonly stream: "trace" | "log";
  readonly events: readonly {
    readonly details: EventDetails;
    /** Time of the event, precise enough to order events of different workers. */
    readonly at: number;
    readonly bytes: number;
    /** The event's texts by detail, each beginning with an empty id, which the receiver replaces. */
    readonly texts: Readonly<Partial<Record<BodyDetail, string>>>;
  }[];
  /** Events dropped after these because the buffer was full. */
  readonly lost: number;
}

export function republish(hub: EventHub, { events, lost }: ForwardedEvents): void {
  for (const { details, bytes, texts, at } of events) {
    const event = plainEvent(details, bytes, (id, detail) => withId(id, texts[detail] ?? (Object.values(texts)[0] as string)));
    hub.publish({ ...event, isForwarded: true }, at);
  }
  hub.countLost(lost);
}

/** Replaces the id at the start of an event's text. */
const withId = (id: string, text: string): string => text.replace(/^\{"id":"[^"]*"/, `{"id":"${id}"`);
