import { flowDifference, type FlowDifference } from "@sluice/model";
import { expect, test } from "vitest";
import { affectedTests } from "./affected-tests.ts";
import { readFlowTests } from "./flow-test-file.ts";

const flow = (texts: { readonly called?: string; readonly other?: string; readonly handler?: string } = {}): string => `- route:
    id: orders
    from:
      uri: platform-http:/api/orders
      steps:
        - to: {id: ask, uri: "direct:stock?timeout=5"}
- route:
    id: stock
    from:
      uri: direct:stock
      steps:
        - log: {id: ${texts.called ?? "count"}, message: stock}
- route:
    id: other
    from:
      uri: webhook
      steps:
        - log: ${texts.other ?? "other"}
${texts.handler ?? ""}`;

const file = readFlowTests(`flowId: orders
tests:
  - name: calls the other route
    when: {webhook: orders}
    then: [{visited: [count]}]
  - name: runs alone
    when: {webhook: other}
    then: [{status: completed}]
  - name: calls by name
    when: {direct: stock}
    then: [{status: completed}]
`);

const affected = (after: string) =>
  affectedTests(file, flowDifference(flow(), after, "orders") as FlowDifference).map(({ name, routes, missingSteps }) => [name, routes, missingSteps]);

test("tests of a changed route are affected, including when another route calls it; tests of other routes are not", () => {
  expect(affected(flow({ called: "sum" }))).toEqual([
    ["calls the other route", ["stock"], ["count"]],
    ["calls by name", ["stock"], []],
  ]);
  expect(affected(flow({ other: "changed" }))).toEqual([["runs alone", ["other"], []]]);
  expect(affected(flow())).toEqual([]);
});

test("an error handler of the flow affects every test", () => {
  const handler = "- onException:\n    exception: [java.lang.Exception]\n    steps: [{log: failed}]\n";
  expect(affected(flow({ handler })).map(([name]) => name)).toEqual(["calls the other route", "runs alone", "calls by name"]);
});
