import { expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { EventHub, type HubClient } from "./event-hub.ts";

it("leaves no timer when it is closed while clients are connected", () => {
  const waiting = new Set<number>();
  let count = 0;
  const after = (): (() => void) => {
    const timer = count++;
    waiting.add(timer);
    return () => waiting.delete(timer);
  };
  const hub = new EventHub({ name: "trace", boot: "b", maxEvents: 10, maxBytes: 1_000, clock: { ...systemClock, after }, changed: () => undefined });
  const clients: HubClient[] = [];
  for (let index = 0; index < 2; index++) {
    const client = { finish: () => hub.leave(client) } as unknown as HubClient;
    clients.push(client);
    hub.join(client);
  }
  for (const client of clients) hub.leave(client);
  expect(waiting.size).toBe(1);
  for (const client of clients) hub.join(client);
  expect(waiting.size).toBe(0);
  hub.close();
  expect(waiting.size).toBe(0);
});
