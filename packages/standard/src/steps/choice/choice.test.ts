import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("runs only the first branch that matches", async () => {
  const run = await flow(`
    - choice:
        when:
          - {simple: "\${body} > 5", steps: [{setBody: {constant: big}}]}
          - {simple: "\${body} > 1", steps: [{setBody: {constant: middle}}]}
    - to: mock:after
  `);
  expect((await run({ body: 9 })).body).toBe("big");
  expect((await run({ body: 3 })).body).toBe("middle");
  expect((await run({ body: 0 })).body).toBe(0);
  expect(run.mocks.get("after")).toHaveLength(3);
});

it("skips disabled branches", async () => {
  const run = await flow(`
    - choice:
        when: [{simple: "true", disabled: true, steps: [{setBody: {constant: off}}]}]
        otherwise: {steps: [{setBody: {constant: rest}}]}
  `);
  expect((await run()).body).toBe("rest");
});

it("evaluates a precondition once, from placeholders", async () => {
  const yaml = `
    - choice:
        precondition: true
        when: [{simple: "'{{color}}' == 'blue'", steps: [{setBody: {constant: B}}]}]
        otherwise: {steps: [{setBody: {constant: other}}]}
  `;
  expect((await (await flow(yaml, { properties: { color: "blue" } }))()).body).toBe("B");
  expect((await (await flow(yaml, { properties: { color: "red" } }))()).body).toBe("other");
});

it("ends the route when a branch stops", async () => {
  const run = await flow(`
    - choice: {when: [{simple: "true", steps: [{stop: {}}, {to: "mock:in"}]}]}
    - to: mock:after
  `);
  await run();
  expect(run.mocks.size).toBe(0);
});

it("treats a placeholder without a value as a false condition", async () => {
  const yaml = `
    - choice:
        precondition: true
        when: [{simple: "{{?red}}", steps: [{setBody: {constant: R}}]}, {expression: {simple: {expression: "{{?blue}}"}}, steps: [{setBody: {constant: B}}]}]
        otherwise: {steps: [{setBody: {constant: other}}]}
  `;
  expect((await (await flow(yaml))()).body).toBe("other");
  expect((await (await flow(yaml, { properties: { blue: "true" } }))()).body).toBe("B");
  expect((await (await flow(yaml, { properties: { red: "false", blue: "false" } }))()).body).toBe("other");
});
