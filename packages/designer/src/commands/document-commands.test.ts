import { describe, expect, test } from "vitest";
import * as flows from "../document/open-flow.ts";
import { sampleText } from "../document/test-flow.test-support.ts";
import type { DocumentCommand } from "./command.ts";
import { documentCommands } from "./document-commands.ts";
import { insertStep } from "./insert-step.ts";

const steps = [0, "route", "from", "steps"] as const;
const open = (...selection: (string | number)[]) => flows.select(flows.openFlow("orders", sampleText, undefined), [...steps, ...selection]);
const command = (name: string): DocumentCommand => documentCommands.find((candidate) => candidate.name === name) as DocumentCommand;

function run(flow: flows.OpenFlow, applied: DocumentCommand): flows.OpenFlow {
  const result = applied.apply(flow);
  if (result === undefined) return flow;
  expect(result.edit).toMatchObject({ ok: true });
  return flows.applyEdit(flow, result.edit, {
    label: applied.title,
    origin: "command",
    at: 0,
    ...(result.select === undefined ? {} : { select: result.select }),
  });
}

describe("commands on the selected step", () => {
  test("delete removes the step's lines, keeps comments around it and selects a neighbor", () => {
    const flow = run(open(2), command("remove-step"));
    expect(flow.text).toBe(sampleText.slice(0, sampleText.indexOf("        - log:\n")));
    expect(flows.selectedStep(flow)?.name).toBe("choice");
    expect(flows.undo(flow).text).toBe(sampleText);
  });

  test("duplicate makes ids unique", () => {
    const flow = run(open(2), command("duplicate-step"));
    expect(flow.text).toContain("            id: last\n");
    expect(flow.text).toContain("            id: last-2\n");
    expect(flows.selectedStep(flow)?.id).toBe("last-2");
  });

  test("move up and down stop at the ends of the list", () => {
    const up = run(open(2), command("move-step-up"));
    expect(flows.selectedStep(up)?.id).toBe("last");
    expect(up.selection).toEqual([...steps, 1]);
    expect(command("move-step-up").apply(open(0))).toBeUndefined();
    expect(command("move-step-down").apply(open(2))).toBeUndefined();
  });

  test("disable adds one line and enable removes it", () => {
    const disabled = run(open(2), command("toggle-disabled"));
    expect(disabled.text).toBe(`${sampleText}            disabled: true\n`);
    expect(run(disabled, command("toggle-disabled")).text).toBe(sampleText);
  });

  test("insert adds the step after the selected one, or as the first step if the trigger is selected", () => {
    const after = run(open(0), insertStep("Log", "log: hello"));
    expect(flows.selectedStep(after)).toMatchObject({ name: "log", index: 1 });
    const first = run(flows.select(open(), [0, "route", "from"]), insertStep("Log", "log: hello"));
    expect(flows.selectedStep(first)).toMatchObject({ name: "log", index: 0 });
  });

  test("without a selected step nothing changes", () => {
    for (const candidate of documentCommands) expect(candidate.apply(flows.openFlow("orders", sampleText, undefined))).toBeUndefined();
  });
});
