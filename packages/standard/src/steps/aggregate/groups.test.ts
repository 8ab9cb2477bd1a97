import { FakeHost, exchangeOf } from "@sluice/testkit";
import type { Exchange } from "@sluice/engine";
import { expect, it } from "vitest";
import { listStrategy } from "../../beans/grouped.ts";
import { Groups, mostGroups } from "./groups.ts";

it("finishes the oldest group at the limit and says so, instead of growing", () => {
  const host = new FakeHost();
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
  for (let index = 0; index < mostGroups + 3; index++) groups.add(`k${index}`, exchangeOf(index));
  expect(released.map((group) => [group.property("CamelAggregatedCorrelationKey"), group.property("CamelAggregatedCompletedBy"), group.message.body])).toEqual([
    ["k0", "force", [0]],
    ["k1", "force", [1]],
    ["k2", "force", [2]],
  ]);
  expect(host.log.records.map(({ level }) => level)).toEqual(["WARN"]);
});
