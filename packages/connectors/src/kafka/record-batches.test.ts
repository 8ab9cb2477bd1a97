import { beforeEach, describe, expect, it } from "vitest";
import { realTimeHost } from "@sluice/testkit";
import type { KafkaClient, OutgoingRecord, SendOptions } from "./kafka-client.ts";
import { RecordBatches, requestsOf } from "./record-batches.ts";

const record = (bytes: number): OutgoingRecord => ({
  topic: "t",
  key: null,
  value: new Uint8Array(bytes),
  partition: undefined,
  timestamp: undefined,
  headers: { name: "value" },
});
const sizes = (records: readonly OutgoingRecord[], maxBytes: number): number[] => [...requestsOf(records, maxBytes)].map(({ length }) => length);

describe("requests of a list", () => {
  it("have at most the maximum size, including headers and the overhead of the format", () => {
    expect(
      sizes(
        Array.from({ length: 10 }, () => record(100)),
        500,
      ),
    ).toEqual([3, 3, 3, 1]);
    expect(sizes([record(10), record(9000), record(10)], 500)).toEqual([1, 1, 1]);
    expect(sizes([], 500)).toEqual([]);
  });

  it("have at most 500 records", () => {
    expect(
      sizes(
        Array.from({ length: 1_200 }, () => record(1)),
        1e9,
      ),
    ).toEqual([500, 500, 200]);
  });
});

describe("a batch of several runs", () => {
  const sent: number[] = [];
  const client = { send: (records: readonly OutgoingRecord[]) => Promise.resolve(void sent.push(records.length)) } as unknown as KafkaClient;
  const { clock } = realTimeHost();
  beforeEach(() => void sent.splice(0));

  it("is sent before it would exceed the maximum size", async () => {
    const batches = new RecordBatches(clock, { lingerMs: 1, fullBytes: 400, maxBytes: 500 });
    await Promise.all([[record(200)], [record(300)], [record(300)]].map((records) => batches.send(client, records, {} as SendOptions)));
    expect(sent).toEqual([1, 1, 1]);
  });

  it("is sent when it has 500 records, and before it would have more", async () => {
    const batches = new RecordBatches(clock, { lingerMs: 1, fullBytes: 1e9, maxBytes: 1e9 });
    const runs = [...Array.from({ length: 700 }, () => 1), 400].map((length) => Array.from({ length }, () => record(1)));
    await Promise.all(runs.map((records) => batches.send(client, records, {} as SendOptions)));
    expect(sent).toEqual([500, 200, 400]);
  });
});
