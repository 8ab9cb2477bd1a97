import { readTree, type Tree } from "@sluice/model";
import { expect, test } from "vitest";
import { flowChanges } from "./flow-changes.ts";
import { outlineOf, type Outline } from "./outline.ts";

const outline = (steps: string, uri = "platform-http:/api/a"): Outline =>
  outlineOf(readTree(`- route:\n    id: a\n    from:\n      uri: ${uri}\n      steps: [${steps}]\n`).tree as Tree, "a");
const shown = (before: Outline, after: Outline): readonly string[] =>
  flowChanges(before, after).steps.map(
    ({ kind, step, options }) => `${kind} ${step.name} ${step.id}${options.map((option) => ` ${option.name}: ${option.before} → ${option.after}`).join("")}`,
  );

test("a changed option is a change of its step, even without an id; moved steps are none", () => {
  expect(shown(outline("{log: one}, {setBody: {constant: x}}"), outline("{setBody: {constant: y}}, {log: one}"))).toEqual([
    "changed setBody setBody1 constant: x → y",
  ]);
});

test("inserted and removed steps are found by content and by id", () => {
  expect(shown(outline("{log: one}, {log: two}"), outline("{log: one}, {log: between}, {log: two}"))).toEqual(["added log log2"]);
  expect(shown(outline("{log: {id: a, message: one}}, {log: {id: b, message: two}}"), outline("{log: {id: b, message: three}}"))).toEqual([
    "changed log b message: two → three",
    "removed log a",
  ]);
});

test("steps inside others, switching off, and other addresses are changes", () => {
  const inner = (message: string): Outline => outline(`{filter: {simple: "true", steps: [{log: ${message}}]}}`);
  expect(shown(inner("one"), inner("two"))).toEqual(["changed log log1 : one → two"]);
  expect(shown(outline("{log: {message: a}}"), outline("{log: {message: a, disabled: true}}"))[0]).toContain("disabled");
  const { addresses } = flowChanges(outline("{log: a}"), outline("{log: a}", "platform-http:/api/b"));
  expect(addresses).toEqual([{ routeId: "a", before: "platform-http:/api/a", after: "platform-http:/api/b" }]);
});
