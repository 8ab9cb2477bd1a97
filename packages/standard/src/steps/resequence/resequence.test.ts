import { flow, settle, type FlowUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const resequence = (options: string): string => `
  - resequence: {header: seq, ${options} steps: [{to: "mock:out"}]}
  - to: mock:after
`;
const feed = async (run: FlowUnderTest, ...numbers: readonly unknown[]): Promise<void> => {
  for (const seq of numbers) await run({ body: seq, headers: { seq } });
  await settle();
};
const out = (run: FlowUnderTest, name = "out"): readonly unknown[] => (run.mocks.get(name) ?? []).map(({ body }) => body);

describe("a batch", () => {
  it("is sorted when full, numeric text by value, and the sender continues immediately", async () => {
    const run = await flow(resequence("batchConfig: {batchSize: 4},"));
    await feed(run, "10", "9", "2");
    expect([out(run), out(run, "after")]).toEqual([[], ["10", "9", "2"]]);
    await feed(run, "1");
    expect(out(run)).toEqual(["1", "2", "9", "10"]);
  });

  it("is sorted on timeout, in reverse order with reverse", async () => {
    const run = await flow(resequence("batchConfig: {batchTimeout: 200, reverse: true},"));
    await feed(run, 1, 3, 2);
    await run.host.clock.advance(200);
    expect(out(run)).toEqual([3, 2, 1]);
  });

  it("keeps the first of equal keys, or all with allowDuplicates", async () => {
    const unique = await flow(resequence("batchConfig: {batchTimeout: 100},"));
    await unique({ body: "first", headers: { seq: 1 } });
    await unique({ body: "second", headers: { seq: 1 } });
    await unique.host.clock.advance(100);
    expect(out(unique)).toEqual(["first"]);
    const withDuplicates = await flow(resequence("batchConfig: {batchTimeout: 100, allowDuplicates: true},"));
    await feed(withDuplicates, 2, 1, 2);
    await withDuplicates.host.clock.advance(100);
    expect(out(withDuplicates)).toEqual([1, 2, 2]);
  });

  it("is delivered when the flow stops", async () => {
    const run = await flow(resequence(""));
    await feed(run, 2, 1);
    await run.stop();
    expect(out(run)).toEqual([1, 2]);
  });
});

describe("a stream", () => {
  it("waits for missing messages until the timeout, and delivers the next number immediately", async () => {
    const run = await flow(resequence("streamConfig: {timeout: 1000},"));
    await feed(run, 4, 1, 3);
    await run.host.clock.advance(1000);
    expect(out(run)).toEqual([1, 3, 4]);
    await feed(run, 5);
    expect(out(run)).toEqual([1, 3, 4, 5]);
    await feed(run, 7);
    await feed(run, 6);
    expect(out(run)).toEqual([1, 3, 4, 5, 6, 7]);
  });

  it("rejects late messages with rejectOld, and messages without a number", async () => {
    const run = await flow(resequence("streamConfig: {timeout: 10, rejectOld: true},"));
    await feed(run, 5);
    await run.host.clock.advance(10);
    expect((await run({ headers: { seq: 4 } })).error).toContain("had delivered 5");
    expect((await run({ headers: { seq: "x" } })).error).toContain("'x' is not a valid sort key");
  });

  it("releases the first message when its capacity is exceeded", async () => {
    const run = await flow(resequence("streamConfig: {timeout: 100000, capacity: 2},"));
    await feed(run, 9, 7, 8);
    expect(out(run)).toEqual([7, 8, 9]);
  });
});
