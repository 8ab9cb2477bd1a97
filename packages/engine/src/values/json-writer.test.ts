import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asJsonIncrementally, shouldWriteInParts } from "./json-writer.ts";
import { asJson } from "./text.ts";

function runCounted(value: unknown, shape?: (part: unknown) => unknown): { text: string; steps: number } {
  const writing = asJsonIncrementally(value, shape);
  for (let steps = 0; ; steps++) {
    const step = writing.next();
    if (step.done === true) return { text: step.value, steps };
  }
}

const record = (index: number): object => ({
  id: index,
  name: `n${index}`,
  none: null,
  gone: undefined,
  tags: ["a", null, undefined],
  big: 12345678901234567890n,
});
const records = Array.from({ length: 3_000 }, (_, index) => record(index));
const few = records.slice(0, 500);
const large: Readonly<Record<string, unknown>> = {
  list: records,
  "an object": { a: 1, deep: { list: [[records], "x", records], 'say "x"': records.slice(0, 2_999) }, none: null },
  "different keys": Object.fromEntries(records.map((item, index) => [index % 3 === 0 ? String(index) : `k${index}`, item])),
  "a map with all kinds of keys": new Map<unknown, unknown>([
    ["z", records],
    [1, new Set(records)],
    ["__proto__", records],
  ]),
  "values with a custom JSON form": [
    ...records.slice(0, 2_000),
    { toJSON: () => "own" },
    new Date(0),
    new TextEncoder().encode("bytes"),
    records.slice(0, 2_000),
  ],
  "members that are not written": { first: undefined, records, last: undefined, list: [undefined, records, undefined] },
};

describe("writing a large value incrementally", () => {
  it.each(Object.entries(large))("gives the same text as synchronous writing: %s", (_, value) => {
    expect(shouldWriteInParts(value)).toBe(true);
    const { text, steps } = runCounted(value);
    expect(text).toBe(asJson(value));
    expect(steps).toBeGreaterThan(10);
  });

  it("converts each part to the requested shape", () => {
    const shape = (part: unknown): unknown => (Array.isArray(part) ? part.map(() => "x") : part);
    expect(runCounted(records, shape).text).toBe(JSON.stringify(records.map(() => "x")));
  });

  it("gives the same text as synchronous writing for any value", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withSet: true, withDate: true, withNullPrototype: true }), (value) => {
        const values = [value, few, { value, few }];
        expect(runCounted(values).text).toBe(asJson(values));
      }),
      { numRuns: 50 },
    );
  });

  it("is not done for a short list, for text or for bytes", () => {
    expect(shouldWriteInParts(records.slice(0, 100))).toBe(false);
    expect(shouldWriteInParts("x".repeat(10_000_000))).toBe(false);
    expect(shouldWriteInParts(new Uint8Array(10_000_000))).toBe(false);
  });

  it("has the same limit as synchronous writing", () => {
    const many = Array(2_000_001).fill(1);
    expect(() => runCounted(many)).toThrowError(expect.objectContaining({ code: "limit-size" }));
    expect(() => asJson(many)).toThrowError(expect.objectContaining({ code: "limit-size" }));
  });

  it("rejects a circular value", () => {
    const self: unknown[] = Array(20_000).fill(0);
    self.push(self);
    expect(() => runCounted(self)).toThrowError(/circular|limit/);
    const short: Record<string, unknown> = {};
    short["self"] = short;
    expect(shouldWriteInParts(short)).toBe(false);
  });
});

describe("a deep value", () => {
  const nested = (inner: unknown, depth: number): unknown => {
    let value = inner;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value, level] : { value, none: undefined, 'say "x"': null };
    return value;
  };

  it("is written as JSON.stringify writes it", () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true }), fc.integer({ min: 150, max: 900 }), (value, depth) => {
        fc.pre(asJson(value) === JSON.stringify(value));
        const deep = nested(value, depth);
        expect(asJson(deep)).toBe(JSON.stringify(deep));
      }),
      { numRuns: 100 },
    );
  });

  it("keeps long integers", () => {
    expect(asJson(nested(12345678901234567890n, 500))).toContain("12345678901234567890,0]");
  });
});
