import { expect, test } from "vitest";
import { flowDifference, type FlowDifference } from "./flow-difference.ts";

const flow = (steps: string, uri = "platform-http:/api/a"): string => `- route:\n    id: a\n    from:\n      uri: ${uri}\n      steps: [${steps}]\n`;
const difference = (before: string, after: string): FlowDifference => flowDifference(before, after, "a") as FlowDifference;
const changesOf = (before: string, after: string): readonly string[] =>
  difference(flow(before), flow(after)).steps.map(
    ({ change, step, options, gap }) =>
      `${change} ${step.name} ${step.id}${options.map((option) => ` ${option.name}: ${option.before} → ${option.after}`).join("")}${gap === undefined ? "" : ` @${gap.list}:${gap.index}`}`,
  );
const steps = "0/route/from/steps";

test("a changed option is a change to its step, even without an id", () => {
  expect(changesOf("{log: one}, {setBody: {constant: x}}", "{log: one}, {setBody: {constant: y}}")).toEqual(["changed setBody setBody1 constant: x → y"]);
});

test("inserted and removed steps are found by content and by id, with their previous position", () => {
  expect(changesOf("{log: one}, {log: two}", "{log: one}, {log: between}, {log: two}")).toEqual(["added log log2"]);
  expect(changesOf("{log: {id: a, message: one}}, {log: {id: b, message: two}}", "{log: {id: b, message: three}}")).toEqual([
    "changed log b message: two → three",
    `removed log a @${steps}:0`,
  ]);
  expect(changesOf("{log: one}, {setBody: {constant: x}}", "{log: one}")).toEqual([`removed setBody setBody1 @${steps}:1`]);
});

test("the fewest possible steps are reported as moved", () => {
  expect(changesOf("{log: one}, {log: two}, {log: three}", "{log: three}, {log: one}, {log: two}")).toEqual(["moved log log1"]);
  expect(changesOf("{log: one}, {filter: {simple: x, steps: []}}", "{filter: {simple: x, steps: [{log: one}]}}")).toEqual(["moved log log1"]);
});

test("the short form of an option, and disabled: false, are not changes", () => {
  expect(changesOf("{log: one}", "{log: {message: one}}")).toEqual([]);
  expect(changesOf("{log: {message: one}}", "{log: {message: one, disabled: false}}")).toEqual([]);
  expect(changesOf("{log: one}", "{log: {message: two}}")).toEqual(["changed log log1 message: one → two"]);
  expect(changesOf("{log: one}", "{log: {message: one, disabled: true}}")[0]).toContain("disabled: null → true");
});

test("conditions of branches and nested options are options of their step; steps inside are steps", () => {
  const choice = (condition: string, message: string): string => `{choice: {when: [{simple: "${condition}", steps: [{log: ${message}}]}]}}`;
  expect(changesOf(choice("a", "one"), choice("b", "one"))).toEqual(["changed choice choice1 when[0].simple: a → b"]);
  expect(changesOf(choice("a", "one"), choice("a", "two"))).toEqual(["changed log log1 : one → two"]);
  expect(changesOf("{marshal: {csv: {delimiter: ;, trim: true}}}", "{marshal: {csv: {delimiter: ;, trim: false}}}")).toEqual([
    "changed marshal marshal1 csv.trim: true → false",
  ]);
  const inside = "{filter: {simple: x, steps: [{log: one}, {setBody: {constant: y}}]}}";
  expect(changesOf(inside, "{filter: {simple: x, steps: [{log: one}]}}")).toEqual([`removed setBody setBody1 @${steps}/0/filter/steps:1`]);
});

test("routes and other elements are added, changed and removed", () => {
  const other = "- route:\n    id: b\n    from: {uri: direct:b, steps: []}\n";
  const handler = (text: string): string => `- onException:\n    exception: [java.lang.Exception]\n    steps: [{log: ${text}}]\n`;
  const { routes, elements } = difference(flow("{log: x}") + other + handler("one"), flow("{log: x}", "platform-http:/api/z") + handler("two"));
  expect(routes.map(({ change, route, options }) => [change, route.id, options])).toEqual([
    ["changed", "a", [{ name: "from.uri", before: "platform-http:/api/a", after: "platform-http:/api/z" }]],
    ["removed", "b", []],
  ]);
  expect(elements.map(({ change, element, options }) => [change, element.name, options])).toEqual([
    ["changed", "onException", [{ name: "steps[0].log", before: "one", after: "two" }]],
  ]);
  expect(difference("- from: {uri: direct:a, steps: []}\n", "- route:\n    from: {uri: direct:a, steps: []}\n").routes).toEqual([]);
  expect(flowDifference("- a: [", flow(""), "a")).toBeUndefined();
});
