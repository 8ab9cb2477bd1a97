import { expect, it } from "vitest";
import { treeMove, type TreeItem } from "./use-tree.ts";

const open = (level: number): TreeItem => ({ level, isOpen: true });
const closed = (level: number): TreeItem => ({ level, isOpen: false });
const leaf = (level: number): TreeItem => ({ level, isOpen: undefined });

//             0        1        2        3          4        5
const items = [open(1), leaf(2), open(2), leaf(3), closed(2), leaf(1)];
const move = (key: string, at: number) => treeMove(key, items, at);

it("up, down, Home and End go through all visible items and stop at the ends", () => {
  expect([move("ArrowDown", 0), move("ArrowDown", 3), move("ArrowDown", 5)]).toEqual([{ focus: 1 }, { focus: 4 }, { focus: 5 }]);
  expect([move("ArrowUp", 4), move("ArrowUp", 0), move("Home", 3), move("End", 3)]).toEqual([{ focus: 3 }, { focus: 0 }, { focus: 0 }, { focus: 5 }]);
});

it("right opens a closed item, enters an open one and stays on one without inner items", () => {
  expect([move("ArrowRight", 4), move("ArrowRight", 2), move("ArrowRight", 3), move("ArrowRight", 5)]).toEqual([
    { isOpen: true },
    { focus: 3 },
    { focus: 3 },
    { focus: 5 },
  ]);
});

it("left closes an open item, goes to the parent of the others and stays on the first level", () => {
  expect([move("ArrowLeft", 2), move("ArrowLeft", 3), move("ArrowLeft", 4), move("ArrowLeft", 5)]).toEqual([
    { isOpen: false },
    { focus: 2 },
    { focus: 0 },
    { focus: 5 },
  ]);
});

it("leaves other keys and elements outside of the tree alone", () => {
  expect([move("Enter", 0), move("a", 0), move("ArrowDown", -1)]).toEqual([undefined, undefined, undefined]);
});
