// `sluice test --update`: replaces expectations with actual replies. Comments and the rest of the file are preserved.
import { LineCounter, parseDocument } from "yaml";
import type { FlowTestResult } from "@sluice/flow-tests";
import { bodyData } from "@sluice/model";

/** The text of a test file with updated reply expectations for its failed tests. */
export function updateExpectations(text: string, results: readonly FlowTestResult[]): string {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const tests = (document.toJS() as { tests: readonly Record<string, any>[] }).tests;
  let changed = false;
  tests.forEach((test, index) => {
    const node = document.getIn(["tests", index], true) as { range?: readonly number[] } | undefined;
    const line = lines.linePos(node?.range?.[0] ?? 0).line;
    const result = results.find((candidate) => candidate.line === line);
    // A test with rows or generated input has many replies but only one expectation.
    if (
      result?.reply === undefined ||
      result.failures.length === 0 ||
      test["each"] !== undefined ||
      [test["when"]].flat().some((when) => when?.generate !== undefined)
    )
      return;
    const { status, body } = result.reply;
    (test["then"] as readonly Record<string, any>[]).forEach((then, position) => {
      const expected = then["reply"];
      if (typeof expected !== "object" || expected === null) return;
      const set = (name: string, value: unknown): void => {
        if (!(name in expected) || value === undefined || JSON.stringify(expected[name]) === JSON.stringify(value)) return;
        document.setIn(["tests", index, "then", position, "reply", name], document.createNode(value));
        changed = true;
      };
      set("status", status);
      set("bodyEquals", bodyData(body));
      set("body", bodyData(body));
    });
  });
  return changed ? document.toString({ lineWidth: 0, flowCollectionPadding: /[{[] /.test(text) }) : text;
}
