import type { Clock } from "@sluice/engine";
import { expect, it } from "vitest";
import { EventMerge, preciseNow } from "./event-merge.ts";
import type { StreamEvent } from "./stream-event.ts";

it("publishes the events of several processes in the order in which they happened, whichever arrived first", () => {
  const published: StreamEvent[] = [];
  const waits: number[] = [];
  const clock = { after: (ms: number) => (waits.push(ms), () => undefined) } as unknown as Clock;
  const merge = new EventMerge(150, clock, (event) => published.push(event));
  const events = ["first", "second", "third", "fourth"].map((name) => ({ name }) as unknown as StreamEvent);
  const start = preciseNow();
  for (const index of [2, 0, 3, 1]) merge.add(events[index] as StreamEvent, start + index);
  expect([published, waits.length]).toEqual([[], 1]);
  merge.flush();
  expect(published).toEqual(events);
});
