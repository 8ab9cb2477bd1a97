import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTraceparent, TraceIds, traceResponse } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`cc-${traceId}-${spanId}-03-future-fields`, true],
])("%s is valid", (header, sampled) => {
  expect(parseTraceparent(header)).toEqual({ traceId, spanId, sampled });
});

test.each([
  "",
  "00",
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId}x-${spanId}-01`,
])("'%s' is not valid", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("any text is parsed without an error", () => {
  fc.assert(fc.property(fc.string(), (header) => void parseTraceparent(header)));
});

test("10,000 new contexts are all different and well formed", () => {
  const ids = new TraceIds(Math.random);
  const unique = new Set<string>();
  for (let round = 0; round < 10_000; round++) {
    const context = ids.contextOf(undefined);
    expect(traceResponse(context)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    unique.add(context.traceId).add(context.spanId);
  }
  expect(unique.size).toBe(20_000);
});
