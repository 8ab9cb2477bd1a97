import { describe, expect, test } from "vitest";
import { everyStep, removeItem, setScalar } from "@sluice/model";
import * as flows from "./open-flow.ts";
import { sampleText } from "./test-flow.test-support.ts";

const note = (origin: "source" | "form" | "canvas" = "canvas", at = 0) => ({ label: "edit", origin, at });
const saved = (text: string) => ({ text, hash: "h", lastModified: "2026-11-14T16:02:33.120Z" });
const open = () => flows.openFlow("orders", sampleText, saved(sampleText));

const deepText = `- onException:
    exception: [x.Y]
    steps: [{log: e}]
- route:
    id: a
    from:
      uri: direct:a
      steps:
        - log: one
        - choice:
            when:
              - simple: "\${body}"
                steps:
                  - loop:
                      constant: 2
                      steps: [{log: two}, {log: three}]
              - simple: "\${header.a}"
                steps: []
            otherwise:
              steps: [{log: four}]
        - to: mock:end
- route:
    id: b
    from:
      uri: direct:b
    steps:
      - doTry:
          steps: [{log: five}]
          doFinally: {steps: []}
`;

describe("an open flow", () => {
  test("numbers steps as the runtime does", () => {
    const flow = open();
    const ids = [...everyStep(flow.lastValid?.outline.routes[0]?.steps ?? [])].map(({ id }) => id);
    expect(ids).toEqual(["setBody1", "choice1", "log1", "to1", "last"]);
  });

  test("finds every step and branch by its path, and nothing at other paths", () => {
    const flow = flows.openFlow("deep", deepText, undefined);
    const { routes = [], entities = [] } = flow.lastValid?.outline ?? {};
    const steps = [...routes.flatMap((route) => route.steps), ...entities.flatMap(({ blocks }) => blocks.flatMap((block) => block.steps))];
    const all = [...everyStep(steps)];
    expect(all).toHaveLength(10);
    const blocks = [...entities.flatMap((entity) => entity.blocks), ...all.flatMap((step) => step.blocks)];
    for (const step of all) {
      expect(flows.stepAt(flow, step.path)).toBe(step);
      expect(flows.stepAt(flow, [...step.listPath, 99])).toBeUndefined();
      expect(flows.stepAt(flow, [...step.path, step.name])).toBeUndefined();
      expect(flows.blockAt(flow, step.path)).toBeUndefined();
    }
    for (const block of blocks) expect(flows.blockAt(flow, block.path)).toBe(block.name === "" ? undefined : block);
    expect(flows.stepAt(flow, [])).toBeUndefined();
    expect(flows.stepAt(flow, [7, "route", "from", "steps", 0])).toBeUndefined();
  });

  test("an edit changes only its own line, and undo restores the same bytes", () => {
    const flow = open();
    const edited = flows.applyEdit(flow, setScalar(flow.text, [0, "route", "from", "steps", 0, "setBody", "simple"], "${header.id}"), note());
    const before = sampleText.split("\n");
    const changed = edited.text.split("\n").filter((line, index) => line !== before[index]);
    expect(changed).toEqual(['            simple: "${header.id}"']);
    expect(flows.unsavedChanges(edited)).toBe(1);
    expect(flows.undo(edited).text).toBe(sampleText);
    expect(flows.unsavedChanges(flows.undo(edited))).toBe(0);
    expect(flows.redo(flows.undo(edited)).text).toBe(edited.text);
  });

  test("typing is merged into one change; a pause starts another", () => {
    let flow = open();
    const at = sampleText.indexOf("done");
    for (const [index, character] of Array.from("well ").entries())
      flow = flows.applyToFlow(flow, { start: at + index, end: at + index, text: character }, note("source", index * 100));
    expect(flow.history.past).toHaveLength(1);
    flow = flows.applyToFlow(flow, { start: at, end: at, text: "x" }, note("source", 10_000));
    expect(flow.history.past).toHaveLength(2);
    expect(flows.undo(flows.undo(flow)).text).toBe(sampleText);
  });

  test("typing after a save is a separate change", () => {
    let flow = open();
    flow = flows.applyToFlow(flow, { start: 0, end: 0, text: "#" }, note("source", 0));
    flow = flows.markSaved(flow, saved(flow.text));
    flow = flows.applyToFlow(flow, { start: 1, end: 1, text: "#" }, note("source", 10));
    expect(flows.unsavedChanges(flow)).toBe(1);
    expect(flows.unsavedChanges(flows.undo(flow))).toBe(0);
    expect(flows.unsavedChanges(flows.undo(flows.undo(flow)))).toBe(1);
  });

  test("keeps the last valid outline while the text is invalid", () => {
    const flow = open();
    const broken = flows.applyToFlow(flow, { start: 0, end: 0, text: "a: [\n" }, note("source"));
    expect(flows.isBroken(broken)).toBe(true);
    expect(broken.syntax.length).toBeGreaterThan(0);
    expect(broken.lastValid?.outline).toEqual(flow.lastValid?.outline);
    expect(flows.isBroken(flows.undo(broken))).toBe(false);
  });

  test("selects the innermost step at a text position", () => {
    const flow = open();
    const inner = flows.selectAt(flow, sampleText.indexOf("first"));
    expect(flows.selectedStep(inner)?.id).toBe("log1");
    expect(flows.selectAt(flow, sampleText.indexOf("direct:orders")).selection).toEqual([0, "route", "from"]);
  });

  test("undo restores the selection with the text", () => {
    const flow = flows.select(open(), [0, "route", "from", "steps", 2]);
    const removed = flows.applyEdit(flow, removeItem(flow.text, [0, "route", "from", "steps"], 2), { ...note(), select: [0, "route", "from", "steps", 1] });
    expect(flows.selectedStep(flows.undo(removed))?.id).toBe("last");
  });
});

test("a text position belongs to a step, a branch, a trigger or an element", () => {
  const text =
    "- onException:\n    exception: [a]\n    steps:\n      - log: x\n- from:\n    uri: direct:a\n    steps:\n      - choice:\n          when:\n            - simple: a\n              steps:\n                - log: y\n      - log: z\n";
  const { lastValid } = flows.openFlow("a", text, undefined);
  const at = (word: string) => flows.pathAtOffset(lastValid?.outline as never, text.indexOf(word) + 1);
  expect(at("exception")).toEqual([0]);
  expect(at("log: x")).toEqual([0, "onException", "steps", 0]);
  expect(at("uri")).toEqual([1, "from"]);
  expect(at("choice")).toEqual([1, "from", "steps", 0]);
  expect(at("simple")).toEqual([1, "from", "steps", 0, "choice", "when", 0]);
  expect(at("log: y")).toEqual([1, "from", "steps", 0, "choice", "when", 0, "steps", 0]);
  expect(at("log: z")).toEqual([1, "from", "steps", 1]);
});

test("changes of one group are one undo step, and leave no entry when they cancel out", () => {
  let flow = flows.openFlow("a", "- log: hello\n", undefined);
  const note = { label: "Change Message", origin: "form" as const, at: 0, group: "form-1" };
  for (const text of ["- log: h\n", '- log: "h: "\n', "- log: bye\n"]) flow = flows.replaceText(flow, text, note);
  expect(flow.history.past.length).toBe(1);
  expect(flows.undo(flow).text).toBe("- log: hello\n");
  expect(flows.redo(flows.undo(flow)).text).toBe("- log: bye\n");
  expect(flows.replaceText(flow, "- log: hello\n", note).history.past.length).toBe(0);
  expect(flows.replaceText(flow, "- log: later\n", { ...note, group: "form-2" }).history.past.length).toBe(2);
});
