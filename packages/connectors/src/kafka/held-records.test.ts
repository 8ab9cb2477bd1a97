import { FakeClock } from "@sluice/testkit";
import { expect, it } from "vitest";
import { HeldRecords } from "./held-records.ts";
import type { KafkaRecord } from "./kafka-client.ts";

const orders = { topic: "orders", partition: 0 };
const record = (offset: number): KafkaRecord => ({ offset: String(offset) }) as KafkaRecord;
const offsets = (offset: number) => ({ topics: [{ topic: "orders", partitions: [{ partition: 0, offset: String(offset) }] }] });

it("limits the offsets to commit until held records are settled", async () => {
  const clock = new FakeClock();
  const held = new HeldRecords(clock);
  let due = 0;
  held.hold(orders, [record(9), record(10)], 100, () => due++);
  expect([held.limit(offsets(11)), held.limit(offsets(7))]).toEqual([offsets(9), offsets(7)]);
  await clock.advance(100);
  expect([due, held.take(orders)]).toEqual([1, [record(9), record(10)]]);
  expect(held.limit(offsets(11))).toEqual(offsets(9));
  held.settled(orders, record(10));
  expect(held.limit(offsets(11))).toEqual(offsets(11));
});

it("does not call back for records that are taken before the delay ends", async () => {
  const clock = new FakeClock();
  const held = new HeldRecords(clock);
  let due = 0;
  held.hold(orders, [record(9)], 100, () => due++);
  expect([held.take(orders), held.take(orders)]).toEqual([[record(9)], []]);
  await clock.advance(1000);
  expect([due, held.limit(offsets(11))]).toEqual([0, offsets(11)]);
});

it("still limits offsets after it is closed, and drops held records and limits when partitions are reassigned", () => {
  const held = new HeldRecords(new FakeClock());
  const hold = (): void => held.hold(orders, [record(9)], 100, () => undefined);
  hold();
  held.close();
  expect(held.limit(offsets(11))).toEqual(offsets(9));
  hold();
  held.clear();
  expect([held.take(orders), held.limit(offsets(11))]).toEqual([[], offsets(11)]);
});
