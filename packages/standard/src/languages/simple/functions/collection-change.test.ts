import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const branches = (first: string, second: string): string => `- multicast:
    steps:
      - pipeline: {steps: [{setBody: {simple: "${first}"}}, {to: "mock:one"}]}
      - pipeline: {steps: [{setBody: {simple: "${second}"}}, {to: "mock:two"}]}`;

describe("changes of a collection", () => {
  it.each([
    ["mapAdd", "${mapAdd('k','v')}", { a: 1 }, { a: 1, k: "v" }],
    ["mapRemove", "${mapRemove('a')}", { a: 1, b: 2 }, { b: 2 }],
    ["listAdd", "${listAdd('x')}", ["a"], ["a", "x"]],
    ["listRemove", "${listRemove('a')}", ["a", "b"], ["b"]],
  ])("stay in the branch: %s", async (_name, change, body, changed) => {
    const run = await flow(branches(change, "${body}"));
    await run({ body });
    expect(run.mocks.get("one")?.[0]?.body).toEqual(changed);
    expect(run.mocks.get("two")?.[0]?.body).toEqual(body);
  });

  it("stay in the branch, including deep inside the body, in headers and in variables", async () => {
    const body = { order: { lines: [{ tags: ["a"] }], other: { unchanged: true } } };
    const run = await flow(`
- setVariable: {name: v, simple: "\${list(a)}"}
- setHeader: {name: h, simple: "\${map(k,1)}"}
- multicast: {steps: [
    {pipeline: {steps: [
      {script: {simple: "\${listAdd(\${body.order.lines[0].tags},b)}"}},
      {script: {simple: "\${listAdd(\${variable.v},b)}"}},
      {script: {simple: "\${mapAdd(\${header.h},l,2)}"}},
      {setBody: {simple: "\${list(\${body},\${variable.v},\${header.h})}"}}, {to: "mock:one"}]}},
    {pipeline: {steps: [{setBody: {simple: "\${list(\${body},\${variable.v},\${header.h})}"}}, {to: "mock:two"}]}}]}`);
    await run({ body });
    expect(run.mocks.get("one")?.[0]?.body).toEqual([{ order: { lines: [{ tags: ["a", "b"] }], other: { unchanged: true } } }, ["a", "b"], { k: "1", l: "2" }]);
    expect(run.mocks.get("two")?.[0]?.body).toEqual([{ order: { lines: [{ tags: ["a"] }], other: { unchanged: true } } }, ["a"], { k: "1" }]);
  });

  it("are visible to later steps of the same exchange, through every name of the collection", async () => {
    const run = await flow(`
- setVariable: {name: v, simple: "\${body}"}
- script: {simple: "\${mapAdd('k','v')}"}
- setBody: {simple: "\${list(\${body},\${variable.v})}"}`);
    expect((await run({ body: { a: 1 } })).body).toEqual([
      { a: 1, k: "v" },
      { a: 1, k: "v" },
    ]);
  });
});
