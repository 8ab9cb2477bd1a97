// Republishes events of other workers on the lead's stream with new ids.
import type { EventHub } from "../streams/event-hub.ts";
import { plainEvent } from "../streams/stream-event.ts";
import type { ForwardedEvents } from "./messages.ts";

export function republish(hub: EventHub, { events, lost }: ForwardedEvents): void {
  for (const { facts, bytes, texts, at } of events) {
    hub.publish(
      plainEvent(facts, bytes, (id, detail) => withId(id, texts[detail] ?? (Object.values(texts)[0] as string))),
      at,
    );
  }
  hub.countLost(lost);
}

/** Replaces the id at the start of an event's text. */
const withId = (id: string, text: string): string => text.replace(/^\{"id":"[^"]*"/, `{"id":"${id}"`);
