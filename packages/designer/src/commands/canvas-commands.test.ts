import { describe, expect, test } from "vitest";
import * as flows from "../document/open-flow.ts";
import { connectorCatalog } from "../catalog/connectors.test-support.ts";
import type { BranchView } from "../catalog/flow-catalog.ts";
import type { DocumentCommand } from "./command.ts";
import { createLinkedRoute, linkedEndpoint } from "./linked-route.ts";
import { duplicateStep } from "./duplicate-step.ts";
import { insertStep } from "./insert-step.ts";
import { moveStepDown, moveStepIn, moveStepOut, moveStepUp } from "./move-step.ts";
import { selectionYaml, pasteSteps } from "./paste-steps.ts";
import { removeStep } from "./remove-step.ts";
import { toggleDisabledWith } from "./toggle-disabled.ts";
import { addBranch, replaceStepWith, unwrap, wrapIn } from "./wrap-steps.ts";

const text = `- route:
    id: orders
    from:
      uri: direct:orders
      steps:
        - log: one
        - log:
            id: second
            description: The second
            message: two
        - choice:
            when:
              - simple: a
                steps:
                  - log: three
              - simple: b
                steps: []
        - to: direct:other
`;
const steps = [0, "route", "from", "steps"] as const;
const when = [...steps, 2, "choice", "when"] as const;
const open = (path: readonly (string | number)[], anchor?: number): flows.OpenFlow => flows.select(flows.openFlow("orders", text, undefined), path, anchor);

function run(flow: flows.OpenFlow, command: DocumentCommand): flows.OpenFlow {
  const result = command.apply(flow);
  if (result === undefined) throw new Error("the command is not applicable");
  expect(result.edit).toMatchObject({ ok: true });
  const { edit, ...more } = result;
  const after = flows.applyEdit(flow, edit, { label: command.title, origin: "canvas", at: 0, ...more });
  expect(flows.undo(after).text).toBe(flow.text);
  return after;
}

const names = (flow: flows.OpenFlow): string =>
  flows
    .selectedSteps(flow)
    .map((step) => step.detail)
    .join(" ");

test("a step is inserted into the selected top-level element, which is selected again when its last step is deleted", () => {
  const handler = `- onException:\n    exception: [java.lang.Exception]\n    steps:\n      - log: handled\n`;
  const flow = flows.select(flows.openFlow("orders", handler + text, undefined), [0]);
  const after = run(flow, insertStep("Log", "log: new"));
  expect(after.selection).toEqual([0, "onException", "steps", 1]);
  expect(after.text).toBe(`${handler}      - log: new\n${text}`);
  const single = flows.select(flow, [0, "onException", "steps", 0]);
  expect(run(single, removeStep).selection).toEqual([0]);
});

describe("several selected steps", () => {
  const twoSelected = open([...steps, 1], 0);

  test("include all steps between the two ends", () => {
    expect(names(twoSelected)).toBe("one two");
    expect(names(open([...steps, 0], 1))).toBe("one two");
    expect(names(flows.select(twoSelected, [...steps, 3]))).toBe("direct:other");
  });

  test("are moved, duplicated, disabled, deleted and wrapped together", () => {
    expect(names(run(twoSelected, moveStepDown))).toBe("one two");
    expect(run(twoSelected, moveStepDown).selection).toEqual([...steps, 2]);
    expect(run(twoSelected, duplicateStep).text).toContain("id: second-2");
    expect(names(run(twoSelected, duplicateStep))).toBe("one two");
    const disabled = run(
      twoSelected,
      toggleDisabledWith(() => "message"),
    );
    expect(disabled.text.match(/disabled: true/g)?.length).toBe(2);
    expect(disabled.text).toContain("        - log:\n            message: one\n            disabled: true\n");
    expect(run(twoSelected, removeStep).text).not.toContain("two");
    expect(run(twoSelected, wrapIn("Filter", "filter:\n  simple: x\n  steps: []")).text).toContain(
      "            steps:\n              - log: one\n              - log:\n                  id: second\n",
    );
  });
});

describe("moving, deleting and branches", () => {
  test("a step moves out of its block, and into the block of the previous step", () => {
    const out = run(open([...when, 0, "steps", 0]), moveStepOut);
    expect(out.selection).toEqual([...steps, 3]);
    const into = run(open([...steps, 3]), moveStepIn);
    expect(into.selection).toEqual([...when, 0, "steps", 1]);
    expect(moveStepOut.apply(open([...steps, 0]))).toBeUndefined();
    expect(moveStepUp.apply(open([...steps, 0]))).toBeUndefined();
  });

  test("branches can be selected, moved, disabled, deleted and filled", () => {
    const first = open([...when, 0]);
    expect(run(first, moveStepIn).selection).toEqual([...when, 1]);
    expect(moveStepOut.apply(first)).toBeUndefined();
    expect(run(first, removeStep).selection).toEqual([...steps, 2]);
    expect(run(first, insertStep("Log", "log: new")).selection).toEqual([...when, 0, "steps", 0]);
    expect(
      run(
        first,
        toggleDisabledWith(() => undefined),
      ).text,
    ).toContain("              - simple: a\n                disabled: true\n                steps:\n");
  });

  test("deleting the only step of a branch selects the branch", () => {
    expect(run(open([...when, 0, "steps", 0]), removeStep).selection).toEqual([...when, 0]);
  });
});

describe("blocks and branches", () => {
  const branch = (name: string, many: boolean): BranchView =>
    ({ option: { name }, many, fields: [{ name: "expression", kind: "expression", inline: true, required: many }] }) as unknown as BranchView;

  test("a repeatable branch is added after the existing ones, a unique branch only once", () => {
    const third = run(open([...steps, 2]), addBranch("when", [...steps, 2], branch("when", true)));
    expect(third.selection).toEqual([...when, 2]);
    expect(third.text).toContain("                steps: []\n              - simple: ${body} != null\n                steps: []\n");
    const otherwise = run(open([...steps, 2]), addBranch("otherwise", [...steps, 2], { ...branch("otherwise", false), fields: [] }));
    expect(otherwise.text).toContain("            otherwise:\n              steps: []\n");
    expect(addBranch("otherwise", [...steps, 2], branch("otherwise", false)).apply(otherwise)).toBeUndefined();
  });

  test("unwrapping keeps the steps inside", () => {
    const flat = run(open([...steps, 2]), unwrap);
    expect(flat.text).not.toContain("choice");
    expect(names(flat)).toBe("three");
  });

  test("replacing keeps id and description", () => {
    expect(run(open([...steps, 1]), replaceStepWith("Set body", "setBody:\n  simple: x")).text).toContain(
      '        - setBody:\n            simple: x\n            id: "second"\n            description: "The second"\n',
    );
  });
});

describe("the clipboard", () => {
  test("contains YAML, which is pasted with new ids", () => {
    const copied = selectionYaml(open([...steps, 1], 0)) as string;
    expect(copied).toBe("- log: one\n- log:\n    id: second\n    description: The second\n    message: two\n");
    const pasted = run(open([...steps, 3]), pasteSteps("Paste", copied) as DocumentCommand);
    expect(
      pasted.text.endsWith("        - log: one\n        - log:\n            id: second-2\n            description: The second\n            message: two\n"),
    ).toBe(true);
  });

  test("accepts one step, several steps or a route, and nothing else", () => {
    expect(run(open([...steps, 0]), pasteSteps("Paste", "log: x") as DocumentCommand).text).toContain("        - log: one\n        - log: x\n");
    const route = run(open([...steps, 0]), pasteSteps("Paste", "- route:\n    id: orders\n    from: {uri: direct:n, steps: []}\n") as DocumentCommand);
    expect(route.lastValid?.outline.routes.map(({ id }) => id)).toEqual(["orders", "orders-2"]);
    for (const other of ["", "just words", "a: 1\nb: 2", "- 1\n- 2", "{"]) expect(pasteSteps("Paste", other)).toBeUndefined();
  });
});

test("the endpoint linked by direct: is found or created", () => {
  const flow = open([...steps, 3]);
  expect(linkedEndpoint(flow, connectorCatalog)).toBeUndefined();
  expect(createLinkedRoute(undefined).apply(flow)).toBeUndefined();
  const created = run(flow, createLinkedRoute(connectorCatalog));
  expect(
    created.text.endsWith('- route:\n    id: other\n    from:\n      uri: direct:other\n      steps:\n        - log:\n            message: "${body}"\n'),
  ).toBe(true);
  expect(created.selection).toEqual([1, "route", "from"]);
  expect(linkedEndpoint(created, connectorCatalog)).toEqual([...steps, 3]);
  expect(linkedEndpoint(flows.select(created, [...steps, 3]), connectorCatalog)).toEqual([1, "route", "from"]);
});

test("an endpoint outside the runtime, or an invalid URI, has no linked endpoint", () => {
  for (const step of ["to: http:other", "log: direct", "log: 'note: x'"]) {
    const flow = flows.select(flows.openFlow("f", `- route:\n    id: r\n    from:\n      uri: timer:t\n      steps:\n        - ${step}\n`, undefined), [
      0,
      "route",
      "from",
      "steps",
      0,
    ]);
    expect([step, linkedEndpoint(flow, connectorCatalog), createLinkedRoute(connectorCatalog).apply(flow)]).toEqual([step, undefined, undefined]);
  }
});
