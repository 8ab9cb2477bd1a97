// A real clock, for tests with real files and sockets.
import { performance } from "node:perf_hooks";
import type { Clock, Host } from "@sluice/engine/spi";
import { FakeHost, type FakeLog } from "./fake-host.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
};

/** A fake host with a real clock. */
export function realTimeHost(): Host & { readonly log: FakeLog } {
  return Object.assign(new FakeHost() as unknown as Host & { log: FakeLog }, { clock: realClock });
}
