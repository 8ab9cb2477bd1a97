import { Message } from "@sluice/engine";
import type { PartGroup, PartReceiver } from "@sluice/engine/tools";
import { FakeHost, exchangeOf } from "@sluice/testkit";
import { expect, it } from "vitest";
import { SharedGroups, type SharedGroupOptions } from "./shared-groups.ts";

it("logs that a completed group could not be recorded, and can still stop", async () => {
  const host = new FakeHost();
  const completed: PartGroup[] = [];
  let receiver: PartReceiver | undefined;
  const options = {
    strategy: { aggregate: (_old: unknown, next: unknown) => next },
    check: { hasTimeouts: false, isComplete: () => "size" },
    host,
    routeId: "r",
    restore: (message: Message) => exchangeOf(message.body),
    aggregation: {
      maxMessages: 10,
      share: (_step: unknown, newReceiver: PartReceiver) => {
        receiver = newReceiver;
        return {
          put: () => Promise.resolve(),
          discard: () => undefined,
          complete: (group: PartGroup) => {
            completed.push(group);
            return Promise.reject(new Error("the store is gone"));
          },
        };
      },
    },
  };
  const groups = new SharedGroups(options as unknown as SharedGroupOptions);
  groups.reset();
  receiver?.receive({ id: "m1", key: "k", message: new Message("a"), properties: new Map() });
  await groups.finish();
  expect(completed).toMatchObject([{ key: "k", ids: ["m1"] }]);
  expect(host.log.records.map(({ level, text }) => `${level} ${text}`)).toEqual(["ERROR Aggregate: group 'k' was not processed: the store is gone"]);
});
