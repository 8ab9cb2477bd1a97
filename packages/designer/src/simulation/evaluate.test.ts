import { expect, test } from "vitest";
import { openFlow } from "../document/open-flow.ts";
import { everyStep } from "@sluice/model";
import { evaluate, type EvaluationRequest } from "./evaluate.ts";

const source = `- route:
    id: r
    from:
      uri: direct:start
      steps:
        - setHeader: {name: who, constant: Ada}
        - setVariable: {name: n, constant: "3"}
        - choice:
            id: which
            when:
              - {simple: "\${header.who} == 'Bob'", steps: [{log: {id: never, message: x}}]}
            otherwise:
              steps:
                - split:
                    id: each
                    simple: "\${body}"
                    steps: [{log: {id: inner, message: x}}]
        - setBody: {id: last, constant: done}
`;
const outline = openFlow("f", source, undefined).lastValid?.outline;
const spanOf = (id: string) => [...everyStep(outline?.routes[0]?.steps ?? [])].find((step) => step.id === id)?.span;
const at = (id: string | undefined, language: string, expression: unknown, more: Partial<EvaluationRequest> = {}) =>
  evaluate({
    language,
    expression,
    flow: { flowId: "f", source, mocks: [], sample: { routeId: "r", body: [1, 2], headers: { "X-Kind": "a" } } },
    step: id === undefined ? undefined : spanOf(id),
    message: undefined,
    ...more,
  });

test("an expression is evaluated with the message that reaches its step", async () => {
  expect(await at("which", "simple", "${header.who} ${variable.n} ${body[1]}")).toMatchObject({ kind: "value", value: "Ada 3 2", type: "text" });
  expect(await at("setHeader1", "simple", "${header.who}")).toMatchObject({ kind: "value", value: null });
  expect(await at("inner", "simple", "${body}")).toMatchObject({ kind: "value", value: 2, type: "number" });
  expect(await at("each", "jsonpath", { expression: "$[0]" })).toMatchObject({ kind: "value", value: 1 });
  expect(await at(undefined, "simple", "${header.X-Kind}")).toMatchObject({ kind: "value", value: "a", message: { body: [1, 2] } });
});

test("a condition evaluates to true or false", async () => {
  expect(await at("which", "simple", "${header.who} == 'Bob'")).toMatchObject({ kind: "value", value: false, type: "boolean" });
  const flow = { flowId: "f", source: source.replace("== 'Bob'", "contains 'Ad'"), mocks: [], sample: { routeId: "r", body: [1], headers: {} } };
  expect(await at("which", "simple", "${header.who} contains 'Ad'", { flow })).toMatchObject({ kind: "value", value: true, type: "boolean" });
  expect(await at("which", "simple", "${header.who} is no condition")).toMatchObject({ kind: "value", value: "Ada is no condition" });
});

test("a step that the sample does not reach has no result, unless a recorded message is passed", async () => {
  expect(await at("never", "simple", "${body}")).toEqual({ kind: "unreached" });
  const message = { body: "recorded", headers: { a: 1 } };
  expect(await at("never", "simple", "${body} ${header.a}", { message })).toMatchObject({ kind: "value", value: "recorded 1", message });
});

test("an invalid expression results in an error", async () => {
  expect(await at("last", "simple", "${nope(")).toMatchObject({ kind: "error", error: expect.stringMatching(/\S/) });
  expect(await at("last", "jsonpath", "$[?(")).toMatchObject({ kind: "error", error: expect.stringMatching(/\S/) });
});

test("while the flow cannot run, the sample is used as the message", async () => {
  const flow = { flowId: "f", source: source.replace("${body}", "${nope("), mocks: [], sample: { routeId: "r", body: "hi", headers: {} } };
  expect(await at("each", "simple", "${body}!", { flow })).toMatchObject({ kind: "value", value: "hi!" });
});
