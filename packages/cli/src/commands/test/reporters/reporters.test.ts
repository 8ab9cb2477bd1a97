import fc from "fast-check";
import { parseXmlDocument } from "slimdom";
import { describe, expect, it } from "vitest";
import { junitReporter } from "./junit.ts";
import { render, sampleRun } from "./sample-report.test-support.ts";
import { tapReporter } from "./tap.ts";

/** The schema of JUnit reports, by element: attributes, required attributes, and children in order. */
const schema: Readonly<
  Record<string, { readonly attributes: Readonly<Record<string, RegExp>>; readonly required: readonly string[]; readonly children: readonly string[] }>
> = {
  testsuites: {
    attributes: { name: /./, tests: /^\d+$/, failures: /^\d+$/, errors: /^\d+$/, time: /^\d+\.\d{3}$/, disabled: /^\d+$/ },
    required: [],
    children: ["testsuite"],
  },
  testsuite: {
    attributes: {
      name: /./,
      id: /^\d+$/,
      tests: /^\d+$/,
      failures: /^\d+$/,
      errors: /^\d+$/,
      skipped: /^\d+$/,
      time: /^\d+\.\d{3}$/,
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
      hostname: /./,
    },
    required: ["name", "tests", "failures", "errors", "time", "timestamp", "hostname"],
    children: ["properties", "testcase", "system-out", "system-err"],
  },
  testcase: {
    attributes: { name: /./, classname: /./, time: /^\d+\.\d{3}$/ },
    required: ["name", "classname", "time"],
    children: ["skipped", "error", "failure", "system-out", "system-err"],
  },
  failure: { attributes: { message: /./, type: /./ }, required: ["type"], children: [] },
  error: { attributes: { message: /./, type: /./ }, required: ["type"], children: [] },
  "system-out": { attributes: {}, required: [], children: [] },
};

function schemaErrors(element: any): string[] {
  const rule = schema[element.nodeName];
  if (rule === undefined) return [`unknown element <${element.nodeName}>`];
  const attributes = [...element.attributes].map(({ name, value }: any) => [name, value] as const);
  const inner = [...element.childNodes].filter((node: any) => node.nodeType === 1);
  const order = inner.map((node: any) => rule.children.indexOf(node.nodeName));
  return [
    ...attributes.filter(([name, value]) => rule.attributes[name]?.test(value) !== true).map(([name, value]) => `${element.nodeName}/@${name}="${value}"`),
    ...rule.required.filter((name) => !attributes.some(([other]) => other === name)).map((name) => `${element.nodeName} has no ${name}`),
    ...(order.some((position: number, index: number) => position < 0 || (index > 0 && position < (order[index - 1] as number)))
      ? [`children of ${element.nodeName}`]
      : []),
    ...inner.flatMap(schemaErrors),
  ];
}

describe("the JUnit report", () => {
  const document = parseXmlDocument(render(junitReporter));
  const root = document.documentElement as any;

  it("follows the schema of JUnit reports", () => {
    expect(schemaErrors(root)).toEqual([]);
  });

  it("has correct totals, is well-formed and follows the schema for any test names and messages", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.constantFrom("]]>", "\u0000\u001b[31m", "\ud800", "\udc00x", "\ufffe", "<!--", "&#0;", "\r\n\t"),
    );
    const result = fc.record({
      name: words.map((name) => `t${name}`),
      line: fc.nat(),
      failures: fc.array(words, { maxLength: 2 }),
      durationMs: fc.nat(),
      runs: fc.constantFrom([], [sampleRun]),
      reply: fc.constant(undefined),
    });
    const file = fc.record({
      path: words.map((path) => `p${path}`),
      startedAt: fc.date({ noInvalidDate: true, min: new Date("2000-01-01"), max: new Date("2100-01-01") }),
      durationMs: fc.nat(),
      results: fc.array(result, { maxLength: 3 }),
      problems: fc.array(fc.record({ line: fc.nat(), column: fc.nat(), message: words }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 4 }), (reports) => {
        const results = reports.flatMap(({ results: testResults }) => testResults);
        const failed = results.filter(({ failures }) => failures.length > 0).length;
        const broken = reports.filter(({ problems }) => problems.length > 0).length;
        const input = { files: reports, passed: results.length - failed, failed, broken, durationMs: 1, coverage: undefined };
        const tree = parseXmlDocument(render(junitReporter, input)).documentElement as any;
        const suites = [...tree.getElementsByTagName("testsuite")];
        const count = (element: any, name: string): number => Number(element.getAttribute(name));
        for (const name of ["tests", "failures", "errors"]) expect(suites.reduce((sum: number, suite) => sum + count(suite, name), 0)).toBe(count(tree, name));
        for (const suite of suites) {
          expect(["testcase", "failure", "error", "skipped"].map((name) => suite.getElementsByTagName(name).length)).toEqual(
            ["tests", "failures", "errors", "skipped"].map((name) => count(suite, name)),
          );
        }
        expect(schemaErrors(tree).filter((error) => !error.includes("message="))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("escapes special characters in names, messages and the step trace, and replaces characters that XML does not allow", () => {
    const cases = [...root.getElementsByTagName("testcase")];
    expect(cases.map((element: any) => element.getAttribute("name"))).toEqual(['says "hi" & <bye>', "fails # loudly", "broken.yaml"]);
    expect(root.getElementsByTagName("system-out")[0].textContent).toBe("orders failed: boom <&>\n  a (to) failed 1.5 ms");
    expect(root.getElementsByTagName("failure")[0].getAttribute("message")).toBe("expected status completed,\ngot \uFFFDfailed");
    expect(root.getElementsByTagName("error")[0].textContent).toBe("unknown assertion 'stauts'");
    expect(["tests", "failures", "errors"].map((name) => root.getAttribute(name))).toEqual(["3", "1", "1"]);
  });
});

it("the TAP report numbers every test and shows failures", () => {
  const lines = render(tapReporter).trim().split("\n");
  expect(lines.slice(0, 5)).toEqual([
    "TAP version 14",
    "1..3",
    'ok 1 - orders/test.yaml: says "hi" & <bye> # time=12ms',
    "not ok 2 - orders/test.yaml: fails \\# loudly # time=1500ms",
    "  ---",
  ]);
  expect(lines.at(-1)).toBe("  ...");
  expect(lines.filter((line) => /^(not )?ok \d+ /.test(line))).toHaveLength(3);
});
