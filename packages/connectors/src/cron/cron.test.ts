import { connectorUnderTest, FakeHost, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { quartz } from "../quartz/quartz.ts";
import { cron } from "./cron.ts";
import { cronSchedule } from "./cron-schedule.ts";

const berlin = "Europe/Berlin";

/** The next fire times of a schedule after a given time, in ISO format. */
function times(expression: string, from: string, count: number, zone = berlin): string[] {
  const schedule = cronSchedule(expression, zone);
  const found: string[] = [];
  for (let at = schedule.after(Date.parse(from)); at !== undefined && found.length < count; at = schedule.after(at)) found.push(new Date(at).toISOString());
  return found;
}

describe("cron expressions", () => {
  it.each([
    ["0 0 12 ? * MON-FRI", "2026-03-28T12:00:00Z", ["2026-03-30T10:00:00.000Z"]],
    ["0 15 10 ? * 6L", "2026-04-01T00:00:00Z", ["2026-04-24T08:15:00.000Z"]],
    ["0 0 8 ? * 2#1", "2026-04-01T00:00:00Z", ["2026-04-06T06:00:00.000Z"]],
    ["0/20 * * * * ?", "2026-04-01T00:00:00Z", ["2026-04-01T00:00:20.000Z", "2026-04-01T00:00:40.000Z", "2026-04-01T00:01:00.000Z"]],
    ["0 0 9 * * 1", "2026-04-01T00:00:00Z", ["2026-04-05T07:00:00.000Z"]],
    ["0 9 * * 1", "2026-04-01T00:00:00Z", ["2026-04-06T07:00:00.000Z"]],
    ["0 0 0 1 1 ? 2030", "2026-04-01T00:00:00Z", ["2029-12-31T23:00:00.000Z"]],
    ["0 0 0 1 1 ? 2020", "2026-04-01T00:00:00Z", []],
  ])("computes the times of '%s'", (expression, from, expected) => {
    expect(times(expression, from, expected.length || 1)).toEqual(expected);
  });

  it("fires once at 2:30 on the days when daylight saving time starts and ends", () => {
    expect(times("0 30 2 * * ?", "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]);
    expect(times("0 30 2 * * ?", "2026-10-24T20:00:00Z", 2)).toEqual(["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]);
  });

  it.each(["nonsense", "0 0 25 * * ?", "* * * *", ""])("rejects '%s' when the flow is built", (expression) => {
    expect(() => cronSchedule(expression, undefined)).toThrow(expect.objectContaining({ name: "CompileError", code: "bad-cron" }));
  });

  it("rejects an unknown time zone at deploy time", () => {
    expect(() => cronSchedule("* * * * *", "Mars/Base")).toThrow(/Mars\/Base/);
  });
});

function startSource(uri: string, work: () => void | Promise<void> = () => undefined) {
  const host = new FakeHost();
  const { clock } = host;
  const ticks: string[] = [];
  const routeInput = new FakeRouteInput(() => {
    ticks.push(new Date(clock.now()).toISOString().slice(11, 19));
    return work();
  });
  const source = connectorUnderTest(uri.startsWith("quartz") ? quartz : cron, host).source(uri);
  void source.start(routeInput);
  return { clock, ticks, source, routeInput };
}

describe("ticking", () => {
  it("fires at the scheduled wall-clock times", async () => {
    const { clock, ticks, routeInput } = startSource("cron:c?schedule=0/20+*+*+*+*+?&timeZone=UTC");
    await clock.advance(65_000);
    expect(ticks).toEqual(["10:00:20", "10:00:40", "10:01:00"]);
    expect(routeInput.bodies[0]).toBeNull();
  });

  it("makes up for missed times with one tick", async () => {
    const { clock, ticks } = startSource("cron:c?schedule=0/5+*+*+*+*+?&timeZone=UTC");
    await clock.advance(5000);
    await clock.freeze(120_000);
    await clock.advance(5000);
    expect(ticks).toEqual(["10:00:05", "10:02:05", "10:02:10"]);
  });

  it("fires once per time of day when the clock is set forward and back", async () => {
    const { clock, ticks } = startSource("cron:c?schedule=0+0+*+*+*+?&timeZone=UTC");
    clock.jump(90 * 60_000);
    await clock.advance(60_000);
    expect(ticks).toEqual(["11:30:15"]);
    clock.jump(-3_600_000);
    await clock.advance(89 * 60_000);
    expect(ticks).toEqual(["11:30:15", "12:00:00"]);
  });

  it("does not wait forever when the clock was far ahead", async () => {
    const { clock, ticks } = startSource("cron:c?schedule=0+0+*+*+*+?&timeZone=UTC");
    clock.jump(400 * 86_400_000);
    await clock.advance(30_000);
    clock.jump(-400 * 86_400_000);
    await clock.advance(2 * 3_600_000);
    expect(ticks.slice(1)).toEqual(["11:00:00", "12:00:00"]);
  });

  it("never runs concurrently with itself", async () => {
    let running = 0;
    let maxRunning = 0;
    const started = startSource("cron:c?schedule=0/1+*+*+*+*+?&timeZone=UTC", async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise<void>((resolve) => started.clock.after(2500, resolve));
      running--;
    });
    await started.clock.advance(10_000);
    expect(maxRunning).toBe(1);
    expect(started.ticks.length).toBe(4);
  });

  it("stops immediately and leaves no timers", async () => {
    const { clock, ticks, source } = startSource("cron:c?schedule=0/1+*+*+*+*+?");
    await source.stop();
    await clock.advance(5000);
    expect([ticks, clock.pending]).toEqual([[], 0]);
  });
});

describe("quartz", () => {
  it("sets the times of a cron trigger as headers", async () => {
    const { clock, routeInput } = startSource("quartz:reports/daily?cron=0+0+12+*+*+?&trigger.timeZone=UTC");
    await clock.advance(2 * 3_600_000);
    const headers = routeInput.exchanges[0]?.message.headers;
    expect(headers?.get("scheduledFireTime")).toEqual(new Date("2026-01-05T12:00:00Z"));
    expect(headers?.get("nextFireTime")).toEqual(new Date("2026-01-06T12:00:00Z"));
    expect([headers?.get("triggerGroup"), headers?.get("triggerName"), headers?.get("previousFireTime")]).toEqual(["reports", "daily", null]);
  });

  it("repeats a simple trigger repeatCount times", async () => {
    const { clock, ticks } = startSource("quartz:q?trigger.repeatInterval=1000&trigger.repeatCount=2&triggerStartDelay=0");
    await clock.advance(10_000);
    expect(ticks).toEqual(["10:00:00", "10:00:01", "10:00:02"]);
  });

  it("rejects a repeat count without an interval", () => {
    expect(() => startSource("quartz:q?trigger.repeatCount=2")).toThrow(/needs cron/);
  });
});
