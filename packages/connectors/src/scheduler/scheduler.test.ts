import { connectorUnderTest, FakeHost, FakeRouteInput } from "@sluice/testkit";
import { expect, it } from "vitest";
import { scheduler } from "./scheduler.ts";

/** Runs a scheduler whose runs take `workMs`; returns the start time of each run. */
async function runsOf(uri: string, forMs: number, workMs = 0, polledMessages: (run: number) => unknown = () => undefined) {
  const host = new FakeHost();
  const starts: number[] = [];
  const source = connectorUnderTest(scheduler, host).source(uri);
  void source.start(
    new FakeRouteInput((exchange) => {
      starts.push(host.clock.monotonic());
      exchange.setProperty("CamelSchedulerPolledMessages", polledMessages(starts.length));
      return workMs === 0 ? undefined : new Promise<void>((resolve) => host.clock.after(workMs, resolve));
    }),
  );
  await host.clock.advance(forMs);
  await source.stop();
  return { starts, host };
}

it("starts after a second and repeats half a second after each run", async () => {
  expect((await runsOf("scheduler:s", 2600, 100)).starts).toEqual([1000, 1600, 2200]);
});

it("runs at a fixed rate without useFixedDelay and skips missed times", async () => {
  expect((await runsOf("scheduler:s?useFixedDelay=false&initialDelay=0&delay=100", 500, 150)).starts).toEqual([0, 200, 400]);
});

it("stops after repeatCount runs", async () => {
  const { starts, host } = await runsOf("scheduler:s?initialDelay=0&delay=10&repeatCount=2", 1000);
  expect(starts).toEqual([0, 10]);
  expect(host.clock.pending).toBe(0);
});

it("repeats immediately while greedy runs find something", async () => {
  expect((await runsOf("scheduler:s?initialDelay=0&delay=1s&greedy=true", 1500, 10, (run) => (run === 2 ? false : undefined))).starts.slice(0, 3)).toEqual([
    0, 10, 1020,
  ]);
});

it("does not start with startScheduler=false", async () => {
  expect((await runsOf("scheduler:s?startScheduler=false", 5000)).starts).toEqual([]);
});
