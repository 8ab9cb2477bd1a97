// The schema accepts the files that the runtime reads, and rejects those that it rejects because of their shape.
import { changedDocuments } from "@sluice/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { readFlowTests } from "./flow-test-file.ts";
import { flowTestSchema } from "./flow-test-schema.ts";

const isTestFile = new Ajv2020({ strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(flowTestSchema());

const file = (test: object, more: object = {}): object => ({
  flow: "f.yaml",
  ...more,
  tests: [{ name: "t", when: { webhook: "orders" }, then: [{ status: "completed" }], ...test }],
});
const mock = (members: object): object => file({ mocks: [{ match: { stepId: "erp" }, ...members }] });

const files: readonly [object][] = [
  [file({})],
  [
    file({
      when: [
        { direct: "a", variables: { x: 1 } },
        { route: "r", body: [1] },
      ],
      time: "real",
      timeoutMs: 1,
    }),
  ],
  [file({ when: { webhook: "orders", method: "GET", query: "a=1", generate: { schema: { type: "string" }, runs: 5 } } })],
  [file({}, { params: { a: 1 }, valueMappings: { uom: "uom.csv" }, messageMappings: { m: {} }, defaults: { unmatched: "fail", time: "skip" } })],
  [mock({ respond: { status: 200, body: null, delayMs: 5 } })],
  [mock({ throw: { type: "Timeout" }, id: "erp", times: 2 })],
  [mock({ sequence: [{ respond: {} }, { throw: { type: "T" } }], then: "cycle" })],
  [file({ then: [{ reply: { body: { a: 1 }, matches: "a.*" } }, { error: { contains: "x" } }, { mockCalled: "erp" }, { mockOrder: ["a", "b"] }] })],
  [file({ then: [{ mockCalled: { mock: "erp", call: "last", with: { jsonpath: { "$.a": 1 } } } }, { visited: ["a"] }, { logged: { contains: "x" } }] })],
  [file({ then: [{ mockCalled: { mock: "erp", times: "${row.times}" } }], each: [{ times: 1 }, { times: 2 }] })],
  [file({ when: "${row.call}", each: [{ call: { webhook: "a" } }] })],
];

it.each(files)("%j is accepted", (document) => {
  expect(readFlowTests(JSON.stringify(document)).tests.length).toBeGreaterThan(0);
  expect([isTestFile(document), isTestFile.errors]).toEqual([true, null]);
});

const isRead = (document: unknown): boolean => {
  try {
    return readFlowTests(JSON.stringify(document)).tests.length > 0;
  } catch {
    return false;
  }
};

it("the schema is not stricter than the runtime for a file with one change", () => {
  const accepted = files.flatMap(([document]) => changedDocuments(document)).filter(isRead);
  expect(accepted.length).toBeGreaterThan(200);
  expect(accepted.filter((document) => !isTestFile(document))).toEqual([]);
});

it.each<[unknown]>([
  [[]],
  [{}],
  [{ flow: "f.yaml", tests: [] }],
  [file({}, { flow: undefined })],
  [file({}, { flowId: "f" })],
  [file({}, { flows: "f" })],
  [file({}, { defaults: { timeoutMs: 0 } })],
  [file({}, { valueMappings: { uom: 5 } })],
  [file({ name: "" })],
  [file({ when: {} })],
  [file({ when: [] })],
  [file({ when: { webook: "orders" } })],
  [file({ when: { direct: "a", method: "GET" } })],
  [file({ when: { webhook: "a", generate: { runs: 5 } } })],
  [file({ when: { webhook: "a", generate: { schema: "s.json", runs: 0 } } })],
  [file({ then: [] })],
  [file({ then: [{ state: "completed" }] })],
  [file({ then: [{ status: "done" }] })],
  [file({ then: [{ reply: { bodyContains: "x" } }] })],
  [file({ then: [{ mockCalled: { times: 1 } }] })],
  [file({ then: [{ mockCalled: { mock: "erp", times: "many" } }] })],
  [file({ then: [{ visited: [] }] })],
  [file({ then: [{ logged: { level: "info" } }] })],
  [file({ each: { a: 1 } })],
  [file({ each: [] })],
  [file({ retries: 1 })],
  [mock({})],
  [mock({ respond: {}, throw: { type: "T" } })],
  [mock({ respond: { status: 99 } })],
  [mock({ throw: { message: "x" } })],
  [mock({ sequence: [{}] })],
  [mock({ respond: {}, then: "stop" })],
  [mock({ respond: {}, match: {} })],
  [mock({ respond: {}, match: { step: "erp" } })],
])("%j is rejected", (document) => {
  const plain: unknown = JSON.parse(JSON.stringify(document));
  expect(() => readFlowTests(JSON.stringify(plain))).toThrow();
  expect(isTestFile(plain)).toBe(false);
});
