import { FakeHost, exchangeOf, SteppingClock, type FakeLog } from "@sluice/testkit";
import type { Exchange, Host } from "@sluice/engine";
import { expect, it } from "vitest";
import { listStrategy } from "../../beans/grouped.ts";
import { Groups, maxGroups } from "./groups.ts";

interface OpenedGroups {
  readonly groups: Groups;
  readonly host: { readonly log: FakeLog };
  readonly released: Exchange[];
}

function openGroups(host: Host & { readonly log: FakeLog } = new FakeHost()): OpenedGroups {
  const released: Exchange[] = [];
  const groups = new Groups({
    strategy: listStrategy(({ message }) => message.body),
    check: { hasTimeouts: false, isComplete: () => undefined, timeoutMs: () => 0 },
    host,
    routeId: "r",
    completionInterval: 0,
    completionTimeoutCheckerInterval: 1000,
    completionOnNewCorrelationGroup: false,
    eagerCheckCompletion: false,
    discardOnCompletionTimeout: false,
    discardOnAggregationFailure: false,
    forceCompletionOnStop: false,
    completeAllOnStop: false,
    release: (group) => void released.push(group),
  });
  return { groups, host, released };
}

it("completes the oldest group at the limit and reports it, instead of growing", () => {
  const { groups, host, released } = openGroups();
  for (let index = 0; index < maxGroups + 3; index++) void groups.add(`k${index}`, exchangeOf(index));
  expect(released.map((group) => [group.property("CamelAggregatedCorrelationKey"), group.property("CamelAggregatedCompletedBy"), group.message.body])).toEqual([
    ["k0", "force", [0]],
    ["k1", "force", [1]],
    ["k2", "force", [2]],
  ]);
  expect(host.log.records.map(({ level }) => level)).toEqual(["WARN"]);
});

it("counts headers, properties and keys as memory of the open groups", () => {
  const parts: Readonly<Record<string, (exchange: Exchange, text: string) => void>> = {
    header: ({ message }, text) => message.headers.set("h", text),
    property: (exchange, text) => exchange.setProperty("p", text),
    variable: (exchange, text) => (exchange.variables = new Map([["v", text]])),
  };
  for (const [part, put] of Object.entries(parts)) {
    const { groups, released } = openGroups();
    for (let index = 0; index < 200; index++) {
      const exchange = exchangeOf("x");
      put(exchange, "x".repeat(1_000_000));
      void groups.add(`k${index}`, exchange);
    }
    expect([part, released.length > 100, released.length < 200]).toEqual([part, true, true]);
  }
  const { groups, released } = openGroups();
  for (let index = 0; index < 200; index++) void groups.add(`${index}${"k".repeat(1_000_000)}`, exchangeOf("x"));
  expect(released.length).toBeGreaterThan(100);
});

it("counts every string that a group collects, not only the first", () => {
  const { groups, released, host } = openGroups();
  for (let index = 0; index < 200; index++) void groups.add("all", exchangeOf("x".repeat(1_000_000)));
  expect(released.length).toBeGreaterThan(1);
  expect(host.log.texts.join()).toContain("open groups use more than");
});

it("completes many groups in slices and yields in between", async () => {
  const clock = new SteppingClock(1);
  const { groups, released } = openGroups(Object.assign(new FakeHost(), { clock }));
  for (let index = 0; index < 100; index++) await groups.add(`k${index}`, exchangeOf(index));
  const finished = groups.completeAll("interval");
  expect(released.length).toBe(11);
  await finished;
  expect([released.length, clock.yields]).toEqual([100, 9]);
});
