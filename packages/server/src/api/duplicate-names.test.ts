import { searchGrowth, searchSteps } from "@sluice/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DuplicateNames } from "./duplicate-names.ts";

const find = (text: string, count = Infinity) => {
  const names = new DuplicateNames(text);
  let found = names.scan(count);
  while (found === undefined && !names.isDone) found = names.scan(count);
  return found;
};
const many = Array.from({ length: 40 }, (_, index) => `"n${index}":${index}`).join(",");

it.each([
  ['{"a":1,"a":2}', "a", 7],
  ['{"a":{"b":1},"c":[{"d":1,"d":2}]}', "d", 25],
  ['{"a":1,"\\u0061":2}', "a", 7],
  ['{"a\\"b":1,"x":"\\\\","a\\"b":2}', 'a"b', 19],
  [`{${many},"n39":1}`, "n39", many.length + 2],
  ['{"":1,"":2}', "", 6],
])("%s has a duplicate name", (text, name, position) => {
  for (const count of [1, 3, Infinity]) expect(find(text, count)).toEqual({ name, position });
});

it("finds no duplicate in the output of JSON.stringify, and finds one that was added", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 50 }), (text, count) => {
      expect(find(text, count)).toBeUndefined();
      expect(find(`{"x":${text},"y":1,"x":null}`, count)?.name).toBe("x");
    }),
  );
});

it("scans a long text in slices, each only to the end of the name or value that begins in it", () => {
  const text = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `row ${index}` })) });
  const names = new DuplicateNames(text);
  const slice = 8_192;
  let calls = 0;
  for (; !names.isDone; calls++) expect(searchSteps(() => names.scan(slice))).toBeLessThan(4 * slice);
  expect(calls).toBeGreaterThan(text.length / slice - 2);
});

it("scans an object with many names, and a text with many quotes, in linear time", () => {
  const members = (size: number): string => Array.from({ length: size }, (_, index) => `"n${index}":1`).join(",");
  expect(searchGrowth((size) => find(`{${members(size)}}`), 2_000)).toBeLessThan(10);
  expect(searchGrowth((size) => find(JSON.stringify({ a: '"'.repeat(size) })), 2_000)).toBeLessThan(10);
});
