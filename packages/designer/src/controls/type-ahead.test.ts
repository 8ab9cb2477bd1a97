import { expect, it } from "vitest";
import { TypeAhead } from "./type-ahead.ts";

const titles = ["Duplicate", "Delete", "Stop on local", "Start", "Undeploy"];

/** The titles reached by pressing keys at these times. */
function press(...keys: readonly (readonly [string, number])[]): readonly (string | undefined)[] {
  const search = new TypeAhead();
  let current = 0;
  return keys.map(([key, at]) => {
    const found = search.find(key, at, titles, current);
    current = found ?? current;
    return found === undefined ? undefined : titles[found];
  });
}

it("goes to the next entry that begins with the character, ignoring case", () => {
  expect(press(["u", 0])).toEqual(["Undeploy"]);
  expect(press(["S", 0], ["s", 1_000], ["s", 2_000])).toEqual(["Stop on local", "Start", "Stop on local"]);
  expect(press(["d", 0], ["d", 100], ["d", 200])).toEqual(["Delete", "Duplicate", "Delete"]);
});

it("narrows the search while typing is fast, also with a space", () => {
  expect(press(["s", 0], ["t", 100], ["a", 200])).toEqual(["Stop on local", "Stop on local", "Start"]);
  expect(press(["s", 0], ["t", 100], ["o", 200], ["p", 300], [" ", 400], ["o", 500])).toEqual(Array(6).fill("Stop on local"));
});

it("begins again after a pause", () => {
  expect(press(["s", 0], ["d", 600])).toEqual(["Stop on local", "Duplicate"]);
});

it("stays where it is when nothing matches, and leaves other keys alone", () => {
  expect(press(["x", 0])).toEqual(["Duplicate"]);
  expect(press(["ArrowDown", 0], ["Enter", 0], [" ", 0], ["F2", 0])).toEqual([undefined, undefined, undefined, undefined]);
  expect(new TypeAhead().find("a", 0, [], -1)).toBe(-1);
});
