// Large content is read in several statements, each with as many bytes as its time limit allows.
import { loadClient } from "@sluice/connectors";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { nodeOpener } from "../contract-stores.test-support.ts";
import { largeBytes } from "./postgres-link.ts";

const server = await serverFor("postgres", { own: true, isDurable: false });
const size = 3_000_000;

interface Client {
  query(...query: unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] } | undefined>;
}

/** Records how many bytes each statement of this process reads. */
async function recordReads(): Promise<{ readonly reads: readonly number[]; end(): void }> {
  const { default: pg } = await loadClient<{ readonly default: { readonly Client: { readonly prototype: Client } } }>({
    package: "pg",
    version: "8",
    reason: "this test",
  });
  const { prototype } = pg.Client;
  const { query } = prototype;
  const reads: number[] = [];
  prototype.query = async function recorded(...statement) {
    const result = await query.apply(this, statement);
    const values = (result?.rows ?? []).flatMap((row) => Object.values(row));
    reads.push(values.reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0));
    return result;
  };
  return { reads, end: () => void (prototype.query = query) };
}

describe.skipIf(server === undefined)("large content on PostgreSQL (needs PostgreSQL)", () => {
  const { host, port, end } = server as TestServer;
  const open = nodeOpener((cluster) => `postgres://postgres@${host}:${port}/postgres?cluster=${cluster}`, 1);
  afterAll(() => end());

  it("is read in several statements if one would exceed its time limit", async () => {
    const writer = await open("large", "writer");
    const ids = Array.from({ length: 4 }, (_, index) => `flow/${index}`);
    for (const id of ids) {
      await writer.records.write("config", id, new Uint8Array(size));
      await writer.queues.put("work", { kind: "bytes", envelope: "{}", body: new Uint8Array(size) }, { id, key: undefined, delayMs: 0 });
    }
    const { reads, end: endRecording } = await recordReads();
    const reader = await open("large", "reader");
    const loaded: string[] = [];
    await new Promise<void>((resolve) => {
      reader.records.watch(
        "config",
        (change) => void loaded.push(change.id),
        () => resolve(),
      );
    });
    expect(loaded).toEqual(ids);
    await writer.records.write("config", "flow/next", new Uint8Array(1));
    await expect.poll(() => loaded.at(-1)).toBe("flow/next");
    const received = new Map<string, number>();
    const consumption = reader.queues.consume("work", {
      concurrency: () => 10,
      keyToken: () => undefined,
      deliver(delivery) {
        received.set(delivery.id, delivery.message.body.length);
        void delivery.done();
      },
    });
    await expect.poll(() => received.size).toBe(4);
    expect(ids.map((id) => received.get(id))).toEqual(ids.map(() => size));
    endRecording();
    const large = reads.filter((bytes) => bytes >= size);
    // The last row of a statement may exceed the limit.
    expect(Math.max(...large)).toBeLessThan(largeBytes + size);
    // Four records and four messages, at most three in one statement.
    expect(large.length).toBeGreaterThanOrEqual(4);
    await consumption.stop();
    await reader.close();
    await writer.close();
  });
});
