import fc from "fast-check";
import { expect, it } from "vitest";
import { previewBody } from "../masking/preview.ts";
import { BodyPreviewCache } from "./body-preview-cache.ts";

it("returns the same preview as without a cache", () => {
  const unusual = fc.constantFrom<unknown>(undefined, Number.NaN, new Date(0), new Map([["a", 1]]), new Uint8Array([104, 105]), 10n, [undefined], {
    a: undefined,
  });
  const body = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), unusual)), unusual);
  fc.assert(
    fc.property(fc.array(fc.tuple(body, fc.constantFrom(20, 4_096)), { maxLength: 6 }), (bodies) => {
      const cache = new BodyPreviewCache();
      for (const [value, limit] of bodies) for (let time = 0; time < 2; time++) expect(cache.preview(value, limit)).toEqual(previewBody(value, limit));
    }),
  );
});

it("detects every change in place", () => {
  const order = { id: 1, lines: [{ n: 1 }, { n: 2 }], note: "a" as string | undefined };
  const cache = new BodyPreviewCache();
  const changes: (() => unknown)[] = [
    () => undefined,
    () => (order.note = "b"),
    () => order.lines.push({ n: 3 }),
    () => order.lines.pop(),
    () => order.lines.sort((a, b) => b.n - a.n),
    () => (order.lines[0] = { n: 9 }),
    () => Object.assign(order, { more: null }),
    () => delete order.note,
    () => (order.lines.length = 0),
    () => Object.assign(order.lines, { 0: order.lines }),
  ];
  for (const change of changes) {
    change();
    expect(cache.preview(order, 4_096)).toEqual(previewBody(order, 4_096));
  }
});

it("reuses the preview of an unchanged body", () => {
  const cache = new BodyPreviewCache();
  const order = { id: 1, lines: [1, 2] };
  expect(cache.preview(order, 4_096)).toBe(cache.preview(order, 4_096));
  expect(cache.preview(Buffer.from("text"), 4_096)).toBe(cache.preview("text", 4_096));
});
