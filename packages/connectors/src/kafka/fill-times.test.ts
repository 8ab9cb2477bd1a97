import { FakeClock } from "@sluice/testkit";
import { expect, it } from "vitest";
import { FillTimes } from "./fill-times.ts";
import type { KafkaRecord, PartitionBatch } from "./kafka-client.ts";

const batch = (partition: number): PartitionBatch => ({ topic: "orders", partition }) as PartitionBatch;
const record = (offset: number): KafkaRecord => ({ offset: String(offset) }) as KafkaRecord;

it("lets a batch wait until the interval since its first record has passed", async () => {
  const clock = new FakeClock();
  const times = new FillTimes(clock, 250);
  expect(times.waitMs(batch(0), record(7))).toBe(250);
  await clock.advance(200);
  expect([times.waitMs(batch(0), record(7)), times.waitMs(batch(1), record(7))]).toEqual([50, 250]);
  await clock.advance(50);
  expect([times.waitMs(batch(0), record(7)), times.waitMs(batch(0), record(9)), times.waitMs(batch(1), record(7))]).toEqual([0, 250, 200]);
});

it("does not let batches wait if there is no interval", () => {
  expect(new FillTimes(new FakeClock(), undefined).waitMs(batch(0), record(7))).toBe(0);
});
