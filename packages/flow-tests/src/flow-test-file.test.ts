import { describe, expect, it } from "vitest";
import { FlowTestFileError, readFlowTests } from "./flow-test-file.ts";

const file = (...tests: readonly string[]): string => `flow: a.yaml\ntests:\n${tests.map((test) => `  - ${test}\n`).join("")}`;

function problemsOf(yaml: string): readonly string[] {
  try {
    readFlowTests(yaml);
  } catch (error) {
    if (error instanceof FlowTestFileError) return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    throw error;
  }
  return [];
}

describe("a flow-test file", () => {
  it("expands rows, records the line of each test and fills in values of any type", () => {
    const read = readFlowTests(
      file(
        "{name: first, when: {direct: a}, then: [{status: completed}]}",
        'name: "gives ${row.code}"\n    when: {webhook: a, body: "${row.order}"}\n    then: [{reply: {status: "${row.code}"}}]\n    each: [{code: 200, order: {id: 1}}, {code: 422, order: null}]',
      ),
    );
    expect(read.tests.map(({ name, line }) => [name, line])).toEqual([
      ["first", 3],
      ["gives 200 [1]", 4],
      ["gives 422 [2]", 4],
    ]);
    expect(read.tests[1]).toMatchObject({ when: [{ webhook: "a", method: "POST", body: { id: 1 } }], then: [{ reply: { status: 200 } }] });
    expect(read.tests[2]?.when[0]).toMatchObject({ body: null });
  });

  it.each([
    [
      "an unknown assertion",
      file("{name: t, when: {direct: a}, then: [{stauts: completed}]}"),
      "3:42 tests.0.then.0.stauts: unknown assertion 'stauts' (did you mean 'status'?)",
    ],
    [
      "an unknown trigger",
      file("{name: t, when: {webhok: a}, then: [{status: failed}]}"),
      "3:22 tests.0.when.webhok: unknown trigger 'webhok' (did you mean 'webhook'?)",
    ],
    [
      "an unknown member of a mock",
      file("{name: t, mocks: [{match: {stepid: x}, respond: {}}], when: {direct: a}, then: [{status: failed}]}"),
      "3:32 tests.0.mocks.0.match.stepid: unknown property 'stepid'",
    ],
    [
      "an unknown member of mockCalled",
      file("{name: t, when: {direct: a}, then: [{mockCalled: {mock: m, tims: 2}}]}"),
      "3:64 tests.0.then.0.mockCalled.tims: unknown property 'tims'",
    ],
    [
      "an unknown member of the file",
      "flw: a.yaml\nflow: b.yaml\ntests: [{name: t, when: {direct: a}, then: [{status: failed}]}]",
      "1:1 flw: unknown property 'flw' (did you mean 'flow'?)",
    ],
    ["broken YAML", "flow: [\n", "invalid YAML"],
    ["an invalid regular expression", file("{name: t, when: {direct: a}, then: [{reply: {matches: '('}}]}"), "must be a regular expression"],
    [
      "an invalid value in the second row",
      file('{name: t, when: {direct: a}, then: [{status: "${row.s}"}], each: [{s: failed}, {s: gone}]}'),
      "3:42 tests.0.then.0.status",
    ],
    ["a missing name of a test with rows", file("{when: {direct: a}, then: [{status: failed}], each: [{a: 1}]}"), "tests.0.name"],
    ["invalid rows", file("{name: t, when: {direct: a}, then: [{status: failed}], each: 3}"), "tests.0.each: must be a list of rows"],
  ])("reports %s", (_, yaml, problem) => {
    expect(problemsOf(yaml).join("\n")).toContain(problem);
  });

  it("reports all errors at once", () => {
    expect(
      problemsOf(file("{name: t, when: {direct: a}, then: [{a: 1}]}", "{name: t, when: {direct: a}, then: [{b: 1}]}")).map((problem) => problem.split(" ")[0]),
    ).toEqual(["3:42", "4:42"]);
    expect(problemsOf("flow: a.yaml\nflw: b\ndefaultz: {}\ntests: [{name: t, when: {direct: a}, then: [{status: failed}]}]")).toEqual([
      "2:1 flw: unknown property 'flw' (did you mean 'flow'?)",
      "3:1 defaultz: unknown property 'defaultz' (did you mean 'defaults'?)",
    ]);
    expect(problemsOf(file("{name: t, mocks: [{match: {stepId: x, a: 1, b: 2}, respond: {}}], when: {direct: a}, then: [{status: failed}]}"))).toEqual([
      "3:43 tests.0.mocks.0.match.a: unknown property 'a'",
      "3:49 tests.0.mocks.0.match.b: unknown property 'b'",
    ]);
  });
});
