import { describe, expect, test } from "vitest";
import { applySplice, type Edit } from "@sluice/model";
import { fillSteps, insertSteps, moveSteps, removeBranch, removeSteps, unwrapStep, wrapSteps } from "./step-edits.ts";

const flow = `# kept
- from:
    uri: direct:a
    steps:
      - log: one # first
      - log: two
      - choice:
          when:
            # the large ones
            - simple: a
              steps:
                - log: three
                - log: four
            - simple: b
              steps: []
          otherwise:
            steps:
              - log: five
      - filter:
          simple: c
      - log: six
`;
const steps = [0, "from", "steps"] as const;
const when = [...steps, 2, "choice", "when"] as const;

function resultOf(edit: Edit): string {
  if (!edit.ok) throw new Error(edit.reason);
  expect(applySplice(flow, edit.splice)).toBe(edit.source);
  expect(applySplice(edit.source, edit.inverse)).toBe(flow);
  return edit.source;
}

/** The log messages in text order. */
const logs = (text: string): string => [...text.matchAll(/log: (\w+)/g)].map((match) => match[1]).join(" ");

describe("steps are inserted", () => {
  test("several at once, in order", () => {
    const text = resultOf(insertSteps(flow, { listPath: steps, index: 1 }, ["log: a", "setBody:\n  constant: b"]));
    expect(text).toContain("      - log: one # first\n      - log: a\n      - setBody:\n          constant: b\n      - log: two\n");
  });

  test("into an empty list and into a missing one", () => {
    expect(resultOf(insertSteps(flow, { listPath: [...when, 1, "steps"], index: 0 }, ["log: a"]))).toContain(
      "            - simple: b\n              steps:\n                - log: a\n",
    );
    expect(resultOf(insertSteps(flow, { listPath: [...steps, 3, "filter", "steps"], index: 0 }, ["log: a", "log: b"]))).toContain(
      "          simple: c\n          steps:\n            - log: a\n            - log: b\n",
    );
  });
});

describe("steps move", () => {
  test("down, up and in groups within their list", () => {
    expect(logs(resultOf(moveSteps(flow, { listPath: steps, first: 0, count: 2 }, { listPath: steps, index: 5 }).edit))).toBe("three four five six one two");
    const up = moveSteps(flow, { listPath: steps, first: 3, count: 2 }, { listPath: steps, index: 1 });
    expect(logs(resultOf(up.edit))).toBe("one six two three four five");
    expect(up.position).toEqual({ listPath: steps, index: 1 });
  });

  test("into a later block, whose path changes", () => {
    const moved = moveSteps(flow, { listPath: steps, first: 0, count: 2 }, { listPath: [...when, 0, "steps"], index: 1 });
    expect(logs(resultOf(moved.edit))).toBe("three one two four five six");
    expect(moved.position).toEqual({ listPath: [...steps, 0, "choice", "when", 0, "steps"], index: 1 });
    expect(resultOf(moved.edit)).toContain("                - log: one # first\n");
  });

  test("out of a block, before its owner", () => {
    const moved = moveSteps(flow, { listPath: [...when, 0, "steps"], first: 0, count: 2 }, { listPath: steps, index: 0 });
    expect(logs(resultOf(moved.edit))).toBe("three four one two five six");
    expect(resultOf(moved.edit)).toContain("# the large ones\n            - simple: a\n");
  });

  test("into a list that is created for them", () => {
    const moved = moveSteps(flow, { listPath: steps, first: 4, count: 1 }, { listPath: [...steps, 3, "filter", "steps"], index: 0 });
    expect(resultOf(moved.edit)).toContain("          simple: c\n          steps:\n            - log: six\n");
  });
});

describe("blocks", () => {
  test("wrap steps, which are indented and otherwise unchanged", () => {
    const text = resultOf(wrapSteps(flow, { listPath: steps, first: 0, count: 2 }, "filter:\n  simple: x\n  steps: []"));
    expect(text).toContain("      - filter:\n          simple: x\n          steps:\n            - log: one # first\n            - log: two\n      - choice:\n");
  });

  test("hold the wrapped steps in their first empty `steps`, which may be inside a branch", () => {
    expect(fillSteps("choice:\n  when:\n    - simple: x\n      steps: []\n  otherwise:\n    steps: []", ["log: |\n  a\n\n  b"])).toBe(
      "choice:\n  when:\n    - simple: x\n      steps:\n        - log: |\n            a\n\n            b\n  otherwise:\n    steps: []",
    );
  });

  test("are unwrapped with their steps in order", () => {
    expect(
      logs(
        resultOf(
          unwrapStep(flow, { listPath: steps, index: 2 }, [
            [...when, 0, "steps"],
            [...steps, 2, "choice", "otherwise", "steps"],
          ]),
        ),
      ),
    ).toBe("one two three four five six");
  });

  test("lose a branch: one of several, the last of its kind, or a unique one", () => {
    const withoutSecond = resultOf(removeBranch(flow, [...when, 1]));
    expect(withoutSecond).not.toContain("simple: b");
    const withoutBranches = removeBranch(withoutSecond, [...when, 0]);
    expect(withoutBranches.ok && withoutBranches.source).not.toContain("when:");
    expect(resultOf(removeBranch(flow, [...steps, 2, "choice", "otherwise"]))).not.toContain("otherwise");
  });

  test("removing all steps of a list leaves an empty one", () => {
    expect(resultOf(removeSteps(flow, { listPath: [...when, 0, "steps"], first: 0, count: 2 }))).toMatch(/- simple: a\n {14}steps:\s*\[\]\n/);
  });
});
