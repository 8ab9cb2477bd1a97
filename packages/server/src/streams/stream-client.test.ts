import { expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import type { ApiStream } from "../http/management.ts";
import { EventHub } from "./event-hub.ts";
import { StreamClient } from "./stream-client.ts";
import { plainEvent } from "./stream-event.ts";
import { createStreamFilter } from "./stream-filter.ts";

const intake = { id: "intake", flowId: "orders", flowHash: "" };

/** A hub with one client and a manual clock. */
function createClient(query: { readonly grep?: string } = {}, reads = true) {
  let now = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: now + ms, run };
    timers.push(timer);
    return () => void (timers = timers.filter((other) => other !== timer));
  };
  const clock = { ...systemClock, after, monotonic: () => now };
  const written: string[] = [];
  let drained = (): void => undefined;
  const stream: ApiStream = {
    open: true,
    buffered: 0,
    write: (text) => (written.push(String(text)), reads || written.length === 1),
    onDrain: (listener) => void (drained = listener),
    onClose: () => undefined,
    end: () => undefined,
    destroy: () => undefined,
  };
  const hub = new EventHub({ name: "trace", boot: "b", maxEvents: 10_000, maxBytes: 1e9, clock, changed: () => undefined });
  const limits = { maxEvents: 1_000, maxBytes: 4 << 20, heartbeatMs: 1e9, stuckMs: 1e9 };
  new StreamClient({ hub, stream, filter: createStreamFilter(query), limits, clock, closed: () => undefined }).begin({ events: [] });
  let built = 0;
  return {
    written,
    hub,
    drain: () => drained(),
    built: () => built,
    publish(count: number) {
      for (let index = 0; index < count; index++)
        hub.publish(
          plainEvent({}, 100, (id) => {
            built++;
            return `{"id":"${id}"}`;
          }),
        );
    },
    pass(ms: number) {
      for (const until = now + ms; ;) {
        const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) return void (now = until);
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.run();
      }
    },
    received: () => written.join("").split("event: trace").length - 1,
    dropped: () => [...written.join("").matchAll(/"dropped":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
  };
}

it("sends 10,000 events per second to a client and drops none", () => {
  const client = createClient();
  for (let ms = 0; ms < 1_000; ms += 10) {
    client.publish(100);
    client.pass(10);
  }
  client.pass(10);
  expect([client.received(), client.dropped()]).toEqual([10_000, 0]);
});

it("sends the newest events to an overloaded client, reports all others as gaps, and creates no text for them", () => {
  const client = createClient();
  for (let ms = 0; ms < 1_000; ms += 1) {
    client.publish(80);
    client.pass(1);
  }
  client.pass(1_000);
  expect(client.received() + client.dropped()).toBe(80_000);
  expect(client.received()).toBeLessThan(16_000);
  expect(client.received()).toBeGreaterThan(10_000);
  expect(client.built()).toBe(client.received());
  expect(client.written.at(-1)).toContain("id: b.80000\n");
});

it("reports gaps for events not built, and builds again after the flood", () => {
  const client = createClient();
  let skipped = 0;
  const flood = (ms: number, perMs: number): void => {
    for (let elapsed = 0; elapsed < ms; elapsed++) {
      for (let index = 0; index < perMs; index++)
        if (client.hub.skip(intake)) skipped++;
        else client.publish(1);
      client.pass(1);
    }
  };
  flood(250, 80);
  expect(skipped).toBe(0);
  flood(750, 80);
  expect(skipped).toBeGreaterThan(20_000);
  client.pass(200);
  const text = client.written.join("");
  expect(client.received() + client.dropped()).toBe(80_000);
  // Every missing number is reported as a gap in its place.
  let at = 0;
  let misplaced = 0;
  for (const [, dropped, number] of text.matchAll(/"dropped":(\d+)|"id":"b\.(\d+)"/g)) {
    if (dropped !== undefined) at += Number(dropped);
    else if (Number(number) !== ++at) misplaced++;
  }
  expect([at, misplaced]).toEqual([80_000, 0]);
  // A reconnecting client gets the same gaps.
  const { gap, events } = client.hub.since("b.100")!;
  expect((gap?.dropped ?? 0) + events.length).toBe(79_900);

  const before = skipped;
  flood(1_000, 25);
  client.pass(100);
  expect(skipped).toBe(before);
  expect(client.received() + client.dropped()).toBe(105_000);
});

it("builds all events for a client with a narrower filter, and for one that does not read", () => {
  for (const client of [createClient({ grep: "b" }), createClient({}, false)]) {
    let skipped = 0;
    for (let elapsed = 0; elapsed < 1_000; elapsed++) {
      for (let index = 0; index < 80; index++) {
        if (client.hub.skip(intake)) skipped++;
        client.publish(1);
      }
      client.pass(1);
    }
    expect(skipped).toBe(0);
  }
});

it("writes many events at once, and none before the client has read the last write", () => {
  const client = createClient({}, false);
  client.publish(5);
  client.pass(10);
  expect(client.written.length).toBe(2);
  client.publish(3_000);
  client.pass(1_000);
  expect([client.written.length, client.received()]).toEqual([2, 5]);
  client.drain();
  expect([client.received(), client.dropped()]).toEqual([1_005, 2_000]);
});

it("a text filter counts only matching events", () => {
  const client = createClient({ grep: "b.1" });
  client.publish(20);
  client.pass(10);
  expect([client.received(), client.dropped()]).toEqual([11, 0]);
});

it("reports events lost in another process, even if there are none to send", () => {
  const { hub, pass, publish, received, dropped } = createClient();
  publish(2);
  hub.countLost(5);
  pass(100);
  expect([received(), dropped()]).toEqual([2, 5]);
  hub.countLost(3);
  pass(100);
  expect([received(), dropped()]).toEqual([2, 8]);
  publish(4);
  pass(100);
  expect([received(), dropped()]).toEqual([6, 8]);
});
