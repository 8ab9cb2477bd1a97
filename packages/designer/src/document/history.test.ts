import fc from "fast-check";
import { expect, test } from "vitest";
import { applySplice } from "@sluice/model";
import { difference, emptyHistory, invert, record, redo, stepsFromSaved, undo, type History, type Origin } from "./history.ts";

const start = "one\ntwo\nthree\n";
const edits = fc.array(
  fc.record({
    at: fc.nat(40),
    length: fc.nat(6),
    text: fc.string({ maxLength: 4 }),
    origin: fc.constantFrom<Origin>("source", "form", "canvas"),
    wait: fc.nat(1500),
  }),
  { maxLength: 40 },
);

test("any series of changes can be undone and redone exactly", () => {
  fc.assert(
    fc.property(edits, (list) => {
      let text = start;
      let history: History = emptyHistory;
      let now = 0;
      for (const { at, length, text: inserted, origin, wait } of list) {
        const from = Math.min(at, text.length);
        const splice = { start: from, end: Math.min(text.length, from + length), text: inserted };
        history = record(history, { splice, inverse: invert(text, splice), label: "x", origin, at: (now += wait), selectionBefore: undefined });
        text = applySplice(text, splice);
      }
      const last = text;
      for (let result = undo(text, history); result !== undefined; result = undo(text, history)) ({ text, history } = result);
      expect(text).toBe(start);
      expect(stepsFromSaved(history)).toBe(0);
      for (let result = redo(text, history); result !== undefined; result = redo(text, history)) ({ text, history } = result);
      expect(text).toBe(last);
    }),
  );
});

test("the history has a limited size, so the saved state may become unreachable", () => {
  let history: History = emptyHistory;
  for (let at = 0; at < 1500; at++)
    history = record(history, {
      splice: { start: 0, end: 0, text: "a" },
      inverse: { start: 0, end: 1, text: "" },
      label: "x",
      origin: "canvas",
      at,
      selectionBefore: undefined,
    });
  expect(history.past).toHaveLength(1000);
  expect(history.savedAt).toBeUndefined();
  expect(stepsFromSaved(history)).toBe(1000);
});

test("the difference between two versions is the smallest replacement that turns one into the other", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "\n") }), fc.string({ unit: fc.constantFrom("a", "b", "\n") }), (before, after) => {
      const { start, end, text } = difference(before, after);
      expect(before.slice(0, start) + text + before.slice(end)).toBe(after);
      if (start < end && text !== "") {
        expect(before[start]).not.toBe(text[0]);
        expect(before[end - 1]).not.toBe(text.at(-1));
      }
    }),
  );
});
