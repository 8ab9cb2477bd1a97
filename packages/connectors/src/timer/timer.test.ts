import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, FakeHost, FakeRouteInput, settle } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { timer } from "./timer.ts";

/** Starts a timer and records the monotonic time of each tick. */
function startTimer(uri: string, work: () => void | Promise<void> = () => undefined, host = new FakeHost()) {
  const ticks: number[] = [];
  const routeInput = new FakeRouteInput(() => {
    ticks.push(host.clock.monotonic());
    return work();
  });
  const source = connectorUnderTest(timer, host).source(uri);
  void source.start(routeInput);
  return { host, clock: host.clock, ticks, routeInput, source };
}

describe("timer", () => {
  it("ticks after one second and then every second, with a null body", async () => {
    const { clock, ticks, routeInput } = startTimer("timer:t");
    await clock.advance(3500);
    expect(ticks).toEqual([1000, 2000, 3000]);
    expect(routeInput.bodies).toEqual([null, null, null]);
    expect(routeInput.deliveries[0]?.trigger).toEqual({ uri: "timer:t" });
    expect(routeInput.exchanges[0]?.message.headers.size).toBe(0);
  });

  it("stops after repeatCount ticks and leaves no timer", async () => {
    const { clock, ticks } = startTimer("timer:t?delay=10&period=50&repeatCount=3");
    await clock.advance(10_000);
    expect(ticks).toEqual([10, 60, 110]);
    expect(clock.pending).toBe(0);
  });

  it("applies the host's minimum delay only to the first tick", async () => {
    const host = Object.assign(new FakeHost(), { firstTickMs: 100 });
    for (const [uri, expected] of [
      ["timer:t?delay=10&period=50&repeatCount=3", [100, 150, 200]],
      ["timer:t?delay=-1&repeatCount=3", [100, 100, 100]],
      ["timer:t?delay=150&period=0", [150]],
    ] as const) {
      const startTime = host.clock.monotonic();
      const { ticks } = startTimer(uri, undefined, host);
      await host.clock.advance(1000);
      await settle();
      expect(
        ticks.map((at) => at - startTime),
        uri,
      ).toEqual(expected);
    }
  });

  it("ticks once when the period is 0", async () => {
    const { clock, ticks } = startTimer("timer:t?delay=10&period=0");
    await clock.advance(10_000);
    expect(ticks).toEqual([10]);
  });

  it("ticks without a pause with delay -1 and still yields to other work", async () => {
    const { ticks, source } = startTimer("timer:t?delay=-1");
    let turns = 0;
    while (turns < 50) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    void source.stop();
    const tickCount = ticks.length;
    expect(tickCount).toBeGreaterThan(10);
    await settle();
    expect(ticks.length).toBe(tickCount);
  });

  it("sets name, counter, period and time with includeMetadata", async () => {
    const { clock, routeInput } = startTimer("timer:tick?includeMetadata=true&delay=0&period=2s&repeatCount=2");
    const startTime = clock.now();
    await clock.advance(2000);
    const [first, second] = routeInput.exchanges;
    expect([first?.property("CamelTimerName"), first?.property("CamelTimerCounter"), first?.property("CamelTimerPeriod")]).toEqual(["tick", 1, 2000]);
    expect(second?.property("CamelTimerCounter")).toBe(2);
    expect(second?.message.headers.get("CamelTimerFiredTime")).toEqual(new Date(startTime + 2000));
  });

  it("continues after a failed exchange", async () => {
    const { clock, ticks } = startTimer("timer:t?delay=0&period=100", () => {
      throw new FlowError("java.io.IOException", "boom");
    });
    await clock.advance(250);
    expect(ticks).toEqual([0, 100, 200]);
  });

  it("never runs concurrently with itself: a tick due during a run follows right after it", async () => {
    const host = new FakeHost();
    let running = 0;
    let maxRunning = 0;
    const starts: number[] = [];
    const source = connectorUnderTest(timer, host).source("timer:t?delay=0&period=100");
    void source.start(
      new FakeRouteInput(async () => {
        starts.push(host.clock.monotonic());
        maxRunning = Math.max(maxRunning, ++running);
        await new Promise<void>((resolve) => host.clock.after(250, resolve));
        running--;
      }),
    );
    await host.clock.advance(700);
    void source.stop();
    expect(maxRunning).toBe(1);
    expect(starts).toEqual([0, 250, 500]);
  });

  it.each(["", "&fixedRate=true"])("skips ticks missed while the process was suspended (%s)", async (options) => {
    const { clock, ticks } = startTimer(`timer:t?delay=1s&period=1s${options}`);
    await clock.advance(2000);
    await clock.freeze(120_000);
    expect(ticks).toEqual([1000, 2000, 122_000]);
    await clock.advance(1000);
    expect(ticks).toEqual([1000, 2000, 122_000, 123_000]);
  });

  it("follows a fixed rate with fixedRate, and the previous tick without it", async () => {
    const ticksAfterFreeze = async (uri: string) => {
      const { clock, ticks } = startTimer(uri);
      await clock.advance(100);
      await clock.freeze(130);
      await clock.advance(200);
      return ticks;
    };
    expect(await ticksAfterFreeze("timer:t?delay=100&period=100&fixedRate=true")).toEqual([100, 230, 300, 400]);
    expect(await ticksAfterFreeze("timer:t?delay=100&period=100")).toEqual([100, 230, 330, 430]);
  });

  it("ignores changes to the wall clock", async () => {
    const { clock, ticks } = startTimer("timer:t?delay=1s&period=1s");
    await clock.advance(1500);
    clock.jump(3_600_000);
    await clock.advance(1000);
    clock.jump(-7_200_000);
    await clock.advance(1000);
    expect(ticks).toEqual([1000, 2000, 3000]);
  });

  it("supports periods longer than the limit of Node timers", async () => {
    const { clock, ticks } = startTimer("timer:t?delay=40d&repeatCount=1");
    await clock.advance(40 * 86_400_000 - 1);
    expect(ticks).toEqual([]);
    await clock.advance(1);
    expect(ticks.length).toBe(1);
  });

  it("stops immediately, even during a run, and can be restarted", async () => {
    const { clock, ticks, source, routeInput } = startTimer("timer:t?delay=100&period=100", () => new Promise(() => undefined));
    await clock.advance(100);
    expect(source.stop()).toBeUndefined();
    await clock.advance(1000);
    expect(ticks).toEqual([100]);
    void source.start(routeInput);
    await clock.advance(100);
    expect(ticks).toEqual([100, 1200]);
  });

  it("starts at the configured time", async () => {
    const host = new FakeHost();
    const routeInput = new FakeRouteInput();
    const at = new Date(host.clock.now() + 5000);
    const pad = (n: number) => String(n).padStart(2, "0");
    const text = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
    void connectorUnderTest(timer, host).source(`timer:t?repeatCount=1&time=${text}`).start(routeInput);
    await host.clock.advance(4999);
    expect(routeInput.exchanges.length).toBe(0);
    await host.clock.advance(1);
    expect(routeInput.exchanges.length).toBe(1);
  });

  it("rejects an invalid time, and never runs concurrently with another version", () => {
    const { source } = connectorUnderTest(timer, new FakeHost());
    expect(() => source("timer:t?time=tomorrow")).toThrow(/not a valid date and time/);
    expect(source("timer:t").exclusive).toBe(true);
  });
});
