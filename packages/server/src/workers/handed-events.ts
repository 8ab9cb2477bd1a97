// Events of one worker as events of the lead's stream: numbered anew, otherwise as they were.
import type { EventHub } from "../streams/event-hub.ts";
import { plainEvent } from "../streams/stream-event.ts";
import type { HandedEvents } from "./messages.ts";

export function republish(hub: EventHub, { events, lost }: HandedEvents): void {
  for (const { facts, bytes, texts } of events) {
    hub.publish(plainEvent(facts, bytes, (id, detail) => withId(id, texts[detail] ?? (Object.values(texts)[0] as string))));
  }
  hub.lose(lost);
}

/** Every event's text begins with its id. */
const withId = (id: string, text: string): string => text.replace(/^\{"id":"[^"]*"/, `{"id":"${id}"`);
