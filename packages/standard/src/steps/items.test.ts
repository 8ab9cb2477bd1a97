import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countedItems, inGroups, isAsync, itemsOf } from "./items.ts";

const all = (value: unknown, delimiter = ","): readonly unknown[] => {
  const items = itemsOf(value, delimiter);
  if (isAsync(items)) throw new Error("asynchronous");
  return [...{ [Symbol.iterator]: () => items }];
};

describe("items of a value", () => {
  it.each([
    ["hello", ["hello"]],
    ["", []],
    ["a,,b", ["a", "", "b"]],
    ["a,b,", ["a", "b"]],
    [",a", ["", "a"]],
    [" a , b ", [" a ", " b "]],
    [",", [""]],
    [null, []],
    [undefined, []],
    [[], []],
    [
      [1, null, "x"],
      [1, null, "x"],
    ],
    [7, [7]],
    [0, [0]],
    [false, [false]],
    [{ a: 1 }, [{ a: 1 }]],
    [new Set(["p", "q"]), ["p", "q"]],
    [new TextEncoder().encode("x,y"), ["x", "y"]],
  ])("%j has the items %j", (value, expected) => {
    expect(all(value)).toEqual(expected);
  });

  it("does not split text with the delimiter 'false', and treats any value as one item with 'single'", () => {
    expect(all("a,b", "false")).toEqual(["a,b"]);
    expect(all(["a", "b"], "false")).toEqual(["a", "b"]);
    expect(all(["a", "b"], "single")).toEqual([["a", "b"]]);
    expect(all(null, "single")).toEqual([]);
  });

  it("keeps iterators unchanged, synchronous or asynchronous", async () => {
    expect(all([1, 2].values())).toEqual([1, 2]);
    const asyncItems = itemsOf(
      (async function* () {
        yield "a";
        yield "b";
      })(),
      ",",
    );
    expect(isAsync(asyncItems)).toBe(true);
    expect(await asyncItems.next()).toEqual({ done: false, value: "a" });
  });

  it("counts exactly the items it returns, and joining them restores the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", ",", " ") }), fc.constantFrom(",", ", ", "ab", "aa"), (text, delimiter) => {
        const parts = all(text, delimiter);
        expect(countedItems(text, delimiter).size).toBe(parts.length);
        if (text === "") return;
        expect([parts.join(delimiter), parts.join(delimiter) + delimiter]).toContain(text);
      }),
    );
  });

  it("groups without losing or reordering anything", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), (values, length) => {
        const { items, size } = inGroups(countedItems(values, ","), length);
        const groups = [...{ [Symbol.iterator]: () => items as Iterator<readonly number[]> }];
        expect(groups.flat()).toEqual(values);
        expect(size).toBe(groups.length);
        expect(groups.slice(0, -1).every((group) => group.length === length)).toBe(true);
      }),
    );
  });
});
