// The text is the source of truth: one edit on the canvas or in a form changes only the affected lines, whatever the flow looks like, and Undo
// restores the exact bytes. The edits are those of the page; the flows are all examples and, if SLUICE_CONFORMANCE names the folder, those of all
// conformance cases.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { catalogView, commonFields, diffLines, everyStep, fromFields, type OptionView, readTree, type StepOutline, type Tree } from "@sluice/model";
import { formats, languages, steps } from "@sluice/standard";
import { FlowCatalog } from "../../packages/designer/src/catalog/flow-catalog.ts";
import { starterYaml } from "../../packages/designer/src/catalog/starter-yaml.ts";
import type { DocumentCommand } from "../../packages/designer/src/commands/command.ts";
import { duplicateStep } from "../../packages/designer/src/commands/duplicate-step.ts";
import { insertStep } from "../../packages/designer/src/commands/insert-step.ts";
import { moveStepDown } from "../../packages/designer/src/commands/move-step.ts";
import { removeStep } from "../../packages/designer/src/commands/remove-step.ts";
import { toggleDisabledWith } from "../../packages/designer/src/commands/toggle-disabled.ts";
import { wrapIn } from "../../packages/designer/src/commands/wrap-steps.ts";
import * as flows from "../../packages/designer/src/document/open-flow.ts";
import { changeLanguage, locateExpression, writeExpression } from "../../packages/designer/src/inspector/expression-location.ts";
import { writeText, type FormScope } from "../../packages/designer/src/inspector/form-scope.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> => new Map(list.map((item) => [item.name, item]));
const catalog = new FlowCatalog(
  catalogView({
    steps: byName(steps),
    languages: byName(languages),
    formats: byName(formats),
    entities: new Map(),
    refused: new Map(),
    connectors: new Map(),
    connections: new Map(),
    unloaded: [],
    beans: new Map(),
    kamelets: [],
    plugins: [],
    exceptions: [],
    common: commonFields,
    route: {},
    from: fromFields,
  }),
);
const filter = starterYaml(catalog.step("filter") as NonNullable<ReturnType<FlowCatalog["step"]>>);
const toggleDisabled = toggleDisabledWith((step) => catalog.step(step)?.shorthand);

interface Sample {
  readonly name: string;
  readonly text: string;
}

const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const examples: Sample[] = folders.flatMap(({ name: folder }) =>
  readdirSync(join(root, "examples", folder))
    .filter((file) => file.endsWith(".yaml") && file !== "test.yaml")
    .map((file) => ({ name: `examples/${folder}/${file}`, text: readFileSync(join(root, "examples", folder, file), "utf8") })),
);

function conformance(): Sample[] {
  const folder = process.env["SLUICE_CONFORMANCE"];
  if (folder === undefined || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { id: string; yaml?: string })
    .flatMap(({ id, yaml }) => (yaml === undefined ? [] : [{ name: id, text: yaml }]));
}

/** The lines that an edit removed and those it added. */
function changedLines(before: string, after: string): { readonly removed: string[]; readonly added: string[] } {
  const lines = diffLines(before, after);
  return {
    removed: lines.filter(({ kind }) => kind === "removed").map(({ text }) => text),
    added: lines.filter(({ kind }) => kind === "added").map(({ text }) => text),
  };
}

const stepsOf = (flow: flows.OpenFlow): StepOutline[] => (flow.lastValid?.outline.routes ?? []).flatMap((route) => [...everyStep(route.steps)]);

function run(flow: flows.OpenFlow, command: DocumentCommand): flows.OpenFlow | undefined {
  const result = command.apply(flow);
  if (result === undefined || !result.edit.ok) return undefined;
  return flows.applyEdit(flow, result.edit, {
    label: command.title,
    origin: "canvas",
    at: 0,
    ...(result.select === undefined ? {} : { select: result.select }),
  });
}

/** The lines of a step, which an edit of that step may change. */
const linesOf = (text: string, step: StepOutline): string[] => text.split("\n").slice(step.span.line - 1, step.span.endLine);

function scopeOf(tree: Tree, step: StepOutline): FormScope {
  const path = [...step.path, step.name];
  const shorthand = catalog.step(step.name)?.shorthand;
  return {
    fields: {},
    catalog,
    tree,
    path,
    outermost: path.length,
    problems: [],
    role: "sink",
    shorthands: shorthand === undefined ? new Map() : new Map([[path.length, shorthand]]),
  };
}

function expectUndone(original: string, edited: flows.OpenFlow): void {
  expect(readTree(edited.text).diagnostics).toEqual([]);
  expect(edited.text).not.toBe(original);
  expect(flows.undo(edited).text).toBe(original);
  expect(flows.redo(flows.undo(edited)).text).toBe(edited.text);
}

/** Edits on the canvas, each with the lines it may remove. Returns the number of edits that applied. */
function canvasEdits(text: string, step: StepOutline): number {
  const flow = flows.select(flows.openFlow("flow", text, undefined), step.path);
  const stepLines = linesOf(text, step);
  let edits = 0;
  const edit = (command: DocumentCommand, mayRemove: readonly string[]): void => {
    const edited = run(flow, command);
    if (edited === undefined) return;
    edits++;
    expectUndone(text, edited);
    for (const line of changedLines(text, edited.text).removed) expect(mayRemove).toContain(line);
    if (command === duplicateStep || command.name === "insert-step")
      expect(changedLines(text, edited.text).removed.filter((line) => !stepLines.includes(line))).toEqual([]);
  };
  edit(insertStep("log", "log: hello"), stepLines);
  edit(duplicateStep, stepLines);
  edit(removeStep, stepLines);
  edit(toggleDisabled, stepLines);
  // Moved lines are unchanged except for indentation, including comments; between brackets they are reformatted.
  for (const command of [wrapIn("filter", filter), moveStepDown]) {
    const edited = run(flow, command);
    if (edited === undefined || /[[{]/.test(text)) continue;
    const { removed, added } = changedLines(text, edited.text);
    for (const line of removed) expect(added.map((addedLine) => addedLine.trim())).toContain(line.trim());
  }
  edit(wrapIn("filter", filter), stepLines);
  const next = flows.stepAt(flow, [...step.listPath, step.index + 1]);
  edit(moveStepDown, [...stepLines, ...(next === undefined ? [] : linesOf(text, next))]);
  return edits;
}

/** Edits in the form: the description, each scalar value, the expression and its language. */
function formEdits(text: string, step: StepOutline): number {
  const flow = flows.select(flows.openFlow("flow", text, undefined), step.path);
  const scope = scopeOf(flow.lastValid?.tree as Tree, step);
  const view = catalog.step(step.name);
  let edits = 0;
  const edit = (change: (source: string) => ReturnType<ReturnType<typeof writeText>>, maxLines: number): void => {
    const result = change(text);
    if (!result.ok || result.source === text) return;
    edits++;
    const edited = flows.applyEdit(flow, result, { label: "form", origin: "form", at: 0 });
    expectUndone(text, edited);
    const { removed, added } = changedLines(text, edited.text);
    expect(removed.length).toBeLessThanOrEqual(maxLines);
    for (const line of removed) expect(linesOf(text, step)).toContain(line);
    expect(added.length - removed.length).toBeLessThanOrEqual(2);
  };
  edit(writeText(scope, "description", 'Said: it\'s "new" # here'), 1);
  for (const option of (view?.options ?? []) as readonly OptionView[]) {
    const value = flows.stepAt(flow, step.path) === undefined ? undefined : scalarAt(scope, option.name);
    if (value !== undefined) edit(writeText(scope, option.name, `${value.text ?? ""}x`), value.span.endLine - value.span.line + 1);
    if (option.kind !== "expression") continue;
    const location = locateExpression(scope, option);
    if (location.language === undefined || location.text === undefined) continue;
    edit(writeExpression(scope, location, "${body} new"), location.text.split("\n").length + 1);
    edit(changeLanguage(scope, location, location.language === "constant" ? "simple" : "constant"), 2);
  }
  return edits;
}

function scalarAt(scope: FormScope, name: string): Extract<Tree, { type: "scalar" }> | undefined {
  let at: Tree | undefined = scope.tree;
  for (const part of [...scope.path, name])
    at = at?.type === "map" ? at.entries.find(({ key }) => key === part)?.value : at?.type === "list" ? at.items[part as number] : undefined;
  return at?.type === "scalar" && at.text !== null ? at : undefined;
}

/** Makes all edits at the selected steps of each flow. */
function editAll(
  samples: readonly Sample[],
  pick: (steps: readonly StepOutline[]) => readonly StepOutline[],
): { readonly flows: number; readonly edits: number; readonly untouched: string[] } {
  let count = 0;
  let edits = 0;
  const untouched: string[] = [];
  for (const { name, text } of samples) {
    const flow = flows.openFlow("flow", text, undefined);
    const steps = pick(stepsOf(flow));
    if (steps.length === 0) continue;
    count++;
    let flowEdits = 0;
    for (const step of steps) flowEdits += canvasEdits(text, step) + formEdits(text, step);
    if (flowEdits === 0) untouched.push(name);
    edits += flowEdits;
  }
  return { flows: count, edits, untouched };
}

describe("one edit changes only its lines, and Undo restores the bytes", () => {
  test("in every example, at every third step", () => {
    const result = editAll(examples, (all) => all.filter((_, index) => index % 3 === 0));
    expect(result.flows).toBe(examples.length);
    expect(result.untouched).toEqual([]);
    expect(result.edits).toBeGreaterThan(examples.length * 5);
  });

  test.skipIf(process.env["SLUICE_CONFORMANCE"] === undefined)(
    "in every conformance case (needs SLUICE_CONFORMANCE, a folder with the conformance set)",
    () => {
      const result = editAll(conformance(), (all) => all.slice(Math.floor(all.length / 2), Math.floor(all.length / 2) + 1));
      expect(result.flows).toBeGreaterThan(400);
      expect(result.untouched).toEqual([]);
    },
    600_000,
  );
});
