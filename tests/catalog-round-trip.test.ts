// Edits one document with every kind of step, in long and short form, and one document per step: only the edited lines change.
import {
  applySplice,
  bindFlow,
  describe as about,
  insertItem,
  readTree,
  removeItem,
  removeOption,
  setOption,
  setScalar,
  type Fields,
  type Path,
  type StepNode,
  type StepShape,
  type Tree,
} from "@sluice/model";
import { catalogOf } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { requiredOf, sampleText } from "./sample-options.ts";

const catalog = catalogOf([]);
const steps = [...catalog.steps.values()];

const indent = (text: string, by: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n");

/** A step as designers save it: options as a block, the expression under `expression`, with an id. */
function longForm(step: StepShape): string {
  const options: Record<string, unknown> = { id: `long-${step.name}`, ...requiredOf(step.options as Fields) };
  if (hasInline(step) && options["constant"] !== undefined) {
    delete options["constant"];
    options["expression"] = { constant: { expression: "x" } };
  }
  return stringify([{ [step.name]: options }]);
}

/** The same step in short form: a single string, or everything on one line. */
function shortForm(step: StepShape): string {
  const required = requiredOf(step.options as Fields);
  const optionName = step.shorthand;
  if (optionName !== undefined && Object.keys(required).every((name) => name === optionName)) {
    const text = about(step.options[optionName] as never).kind === "string" ? "'it''s  short'" : sampleText(step.options[optionName] as never);
    return `- ${step.name}: ${text} # as typed\n`;
  }
  return `- ${step.name}: ${JSON.stringify(required).replaceAll('"', "'").replaceAll("':", "': ")}   # as typed\n`;
}

const hasInline = (step: StepShape): boolean => Object.values(step.options).some((field) => about(field).kind === "expression" && about(field).inline === true);

const documentOf = (stepList: readonly StepShape[]): string => `# Every step.
- route:
    id: canonical
    from:
      uri: direct:canonical   # entry point
      steps:
${stepList.map((step) => indent(longForm(step), "        ")).join("\n\n        # next\n")}

- from:
    uri: "direct:short"
    steps:
${stepList.map((step) => indent(shortForm(step), "      ")).join("\n")}
`;

const source = documentOf(steps);
const tree = readTree(source).tree as Tree;

/** Every scalar of the document with its path. */
function scalars(node: Tree, path: Path = []): { path: Path; text: string }[] {
  if (node.type === "scalar") return node.text === null ? [] : [{ path, text: node.text }];
  if (node.type === "list") return node.items.flatMap((item, index) => scalars(item, [...path, index]));
  return node.entries.flatMap((entry) => scalars(entry.value, [...path, entry.key]));
}

const changedLines = (before: string, after: string): readonly number[] => {
  const linesBefore = before.split("\n");
  const linesAfter = after.split("\n");
  let head = 0;
  while (head < linesBefore.length && linesBefore[head] === linesAfter[head]) head++;
  let tail = 0;
  while (
    tail < linesBefore.length - head &&
    tail < linesAfter.length - head &&
    linesBefore[linesBefore.length - 1 - tail] === linesAfter[linesAfter.length - 1 - tail]
  )
    tail++;
  return [linesBefore.length - head - tail, linesAfter.length - head - tail];
};

/** The names of these steps and of nested steps, because a block without `steps` contains the steps that follow it. */
function namesIn(stepList: readonly StepNode[]): string[] {
  return stepList.flatMap((step) => [step.name, ...Object.values(step.options).flatMap((value) => (isSteps(value) ? namesIn(value) : []))]);
}

const isSteps = (value: unknown): value is readonly StepNode[] =>
  Array.isArray(value) && value.every((item) => typeof item?.name === "string" && item.options !== undefined);

describe(`a flow with each of ${steps.length} steps in both forms`, () => {
  it("binds without errors, and both forms contain every step", () => {
    const { flow, diagnostics } = bindFlow(tree, catalog, { flowId: "all", source, property: () => undefined } as never);
    expect(diagnostics.map(({ span, message }) => `${span.line}: ${message}`)).toEqual([]);
    expect(flow.source).toBe(source);
    const allNames = steps.map(({ name }) => name).toSorted();
    expect(flow.routes.map((route) => [...new Set(namesIn(route.steps))].toSorted())).toEqual([allNames, allNames]);
  });

  it("one edit changes only its own lines, at any position", () => {
    for (let index = 0; index < steps.length; index += 11) {
      const { name } = steps[index] as StepShape;
      addAndRemoveOption(source, [0, "route", "from", "steps", index, name]);
      addAndRemoveOption(source, [1, "from", "steps", index, name]);
    }
  });

  it("inserting and removing a step restores the same bytes", () => {
    for (const list of [
      [0, "route", "from", "steps"],
      [1, "from", "steps"],
    ] as const) {
      for (const index of [0, 1, Math.floor(steps.length / 2), steps.length]) insertAndRemove(source, list, index);
    }
  });
});

describe.each(steps.map((step) => [step.name, step] as const))("%s on its own", (name, step) => {
  const text = documentOf([step]);

  it("writing every value again changes no byte", () => {
    const all = scalars(readTree(text).tree as Tree);
    expect(all.length).toBeGreaterThan(3);
    const changed = all.filter(({ path, text: value }) => {
      const edit = setScalar(text, path, value);
      return !edit.ok || edit.source !== text;
    });
    expect(changed).toEqual([]);
  });

  it("adding an option or a step changes nothing else", () => {
    addAndRemoveOption(text, [0, "route", "from", "steps", 0, name]);
    addAndRemoveOption(text, [1, "from", "steps", 0, name]);
    insertAndRemove(text, [0, "route", "from", "steps"], 1);
    insertAndRemove(text, [1, "from", "steps"], 0);
  });
});

/** Adds an option and removes it again. */
function addAndRemoveOption(text: string, path: Path): void {
  const added = setOption(text, path, "note", "seen: by #1");
  if (!added.ok) return expect(added.reason).toBe("this element has no options");
  expect([
    [0, 1],
    [1, 1],
  ]).toContainEqual(changedLines(text, added.source));
  expect(applySplice(added.source, added.inverse)).toBe(text);
  const removed = removeOption(added.source, path, "note");
  expect(removed.ok && removed.source, path.join(".")).toBe(text);
}

function insertAndRemove(text: string, list: Path, index: number): void {
  const inserted = insertItem(text, list, index, "log: hello");
  expect(inserted.ok, `${list.join(".")} ${index}`).toBe(true);
  if (!inserted.ok) return;
  expect(changedLines(text, inserted.source)).toEqual([0, 1]);
  const removed = removeItem(inserted.source, list, index);
  expect(removed.ok && removed.source, `${list.join(".")} ${index}`).toBe(text);
}
