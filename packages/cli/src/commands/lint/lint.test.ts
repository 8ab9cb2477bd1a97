import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";
import { findFaults, type Finding } from "./findings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-lint-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function lint(...words: readonly string[]) {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["lint", ...words], terminal);
  return { exit, output: terminal.output().replaceAll(`${folder}/`, ""), remarks: terminal.remarks().replaceAll(`${folder}/`, "") };
}

const flow = (...steps: readonly string[]): string =>
  `- route:\n    id: orders\n    from:\n      uri: direct:orders\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

describe("sluice lint", () => {
  it.each([
    [
      "a mistyped step",
      flow("log: x", "setbdy: {constant: a}"),
      "a.yaml:7:11 step-unknown unknown step 'setbdy' in route 'orders' (fix: did you mean 'setBody'?)",
    ],
    ["a missing option", flow("setHeader: {constant: a}"), "a.yaml:6:11 option-missing step 'setHeader' needs the option 'name' (fix: add 'name')"],
    [
      "a wrong value",
      flow("log: {message: x, loggingLevel: LOUD}"),
      "a.yaml:6:43 option-invalid option 'loggingLevel' of step 'log': expected one of TRACE, DEBUG, INFO, WARN, ERROR, OFF, got 'LOUD'",
    ],
    [
      "steps of a branch without their key",
      flow("choice: {when: [{simple: '${body}', steps: [{log: a}]}], otherwise: [{log: b}]}"),
      "a.yaml:6:79 option-invalid option 'otherwise' of step 'choice': expected a mapping, got a list (fix: write 'steps:' above the list)",
    ],
    [
      "a wrong expression",
      flow("setBody: {simple: '${nosuchfunction()}'}"),
      "a.yaml:6:32 simple-unknown-function there is no function 'nosuchfunction()' (fix: the functions are listed in the reference of the Simple language)",
    ],
    [
      "an option no endpoint can have",
      "- from: {uri: 'timer:x?period=5s&a(b=1', steps: [{log: hi}]}\n",
      "a.yaml:1:38 endpoint-option-unknown endpoint 'timer' has no option 'a(b'",
    ],
    ["a mapping in place of the list", "route: {id: a}\n", "a.yaml:1:1 flow-shape a flow must be a list of routes, got a mapping (fix: write '- route:')"],
    [
      "a parameter without a value",
      flow("log: '{{erp.url}}'"),
      "a.yaml:6:17 placeholder-unresolved no value for parameter 'erp.url' (fix: give it with --param, in <flow>.params.json, or as a default: {{name:default}})",
    ],
    ["an empty file", "", "a.yaml:1:1 flow-empty flow defines no routes"],
    ["broken YAML", "- route: {id: a\n- b", "a.yaml:2:1 yaml-"],
  ])("tells of %s with place and remedy", async (_, text, line) => {
    put({ "a.yaml": text });
    const { exit, output } = await lint(join(folder, "a.yaml"));
    expect(output).toContain(line);
    expect(exit).toBe(1);
  });

  it("finds parameters where they are kept, and in the tests", async () => {
    const text = flow("log: '{{a}} {{b}} {{c}}'");
    const tests = "flow: orders.yaml\nparams: {c: 3}\ntests: [{name: t, when: {direct: orders}, then: [{status: completed}]}]";
    put({ "orders.yaml": text, "orders.params.json": '{"b": 2}', "orders.test.yaml": tests });
    expect(await lint(folder, "-p", "a=1")).toMatchObject({ exit: 0, output: "", remarks: "2 files, 0 errors, 0 warnings\n" });
    expect((await lint(folder)).output).toContain("no value for parameter 'a'");
  });

  it("looks through folders: flows, test files, and nothing else", async () => {
    put({
      "one.yaml": flow("log: x"),
      "deep/two.yaml": flow("log: y"),
      "deep/one.test.yaml": "flow: two.yaml\ntests: [{name: t, when: {direct: a}, then: [{wat: 1}]}]",
      "compose.yaml": "services: {}\n",
    });
    const { output, remarks, exit } = await lint(folder);
    expect(output).toContain("deep/one.test.yaml:2:46 test-file-invalid tests.0.then.0.wat: unknown assertion 'wat'");
    expect(output).toContain("one.yaml:3:5 flow-conflict-route-id route id 'orders' is already used in deep/two.yaml (fix: give one of them another id)");
    expect([remarks, exit]).toEqual(["3 files, 2 errors, 0 warnings\n", 1]);
  });

  it("prints JSON and SARIF", async () => {
    put({ "a.yaml": flow("nope: {}") });
    const path = join(folder, "a.yaml");
    const json = JSON.parse((await lint(path, "--json")).output);
    expect(json).toMatchObject({
      files: 1,
      errors: 1,
      findings: [{ file: "a.yaml", line: 6, column: 11, code: "step-unknown", severity: "error", fix: "the steps are listed in the reference" }],
    });
    const sarif = JSON.parse((await lint(path, "--format", "sarif")).output);
    expect(sarif.version).toBe("2.1.0");
    expect(sarif.runs[0].results[0]).toMatchObject({
      ruleId: "step-unknown",
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "a.yaml" }, region: { startLine: 6, startColumn: 11 } } }],
    });
    expect(sarif.runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(["step-unknown"]);
  });

  it.each([
    [["nowhere.yaml"], "sluice lint: there is no file or folder 'nowhere.yaml': check the path\n"],
    [["--param", "x"], "sluice lint: --param must be name=value, not 'x'\n"],
    [["--format", "xml"], "sluice lint: --format cannot be 'xml': choose one of text, json, sarif; see `sluice lint --help`\n"],
  ])("%j is refused in one sentence", async (words, sentence) => {
    const terminal = recordedTerminal();
    expect(await runProgram(commands, ["lint", ...words], terminal)).toBe(2);
    expect([terminal.output(), terminal.remarks()]).toEqual(["", sentence]);
  });

  it("finds nothing wrong with the examples", async () => {
    expect(await lint(fileURLToPath(new URL("../../../../../examples", import.meta.url)))).toMatchObject({ exit: 0, output: "" });
  });
});

const cases = process.env["SLUICE_CONFORMANCE"] === undefined ? "" : join(process.env["SLUICE_CONFORMANCE"], "documents.jsonl");

/** Where each fault stands, judged by eye: the word, value or line an author has to change. */
const places = new Map(
  `
  doc-0049 5:11 step-unknown
  doc-0050 5:11 step-unknown
  doc-0053 9:25 option-invalid
  doc-0055 1:3 entity-unknown
  doc-0057 1:1 flow-shape
  doc-0058 1:1 flow-empty
  doc-0059 1:3 option-missing
  doc-0060 1:3 route-no-from
  doc-0061 4:7 steps-shape
  doc-0064 4:7 option-unknown
  doc-0065 3:5 uri-twice
  doc-0066 4:9 option-missing
  doc-0067 4:13 connector-unknown
  doc-0068 2:10 connector-unknown
  doc-0070 2:26 endpoint-option-invalid
  doc-0071 8:9 route-id-duplicate
  doc-0073 8:5 startup-order-duplicate
  doc-0076 5:3 entity-order
  doc-0077 5:3 entity-order
  doc-0078 5:3 entity-order
  doc-0079 1:3 error-handler-type
  doc-0081 2:5 option-missing
  doc-0082 6:11 expression-twice
  doc-0084 5:11 language-unknown
  doc-0085 5:32 language-unknown
  doc-0086 4:9 option-missing
  doc-0087 4:9 option-missing
  doc-0088 4:9 option-missing
  doc-0089 4:9 option-missing
  doc-0090 4:9 option-missing
  doc-0091 6:15 option-missing
  doc-0092 4:30 simple-unknown-function
  doc-0095 4:29 xpath-syntax
  doc-0096 4:27 jq-syntax
  doc-0098 4:9 option-missing
  doc-0099 4:9 option-missing
  doc-0100 8:11 option-conflict
  doc-0102 5:33 bean-unknown
  doc-0103 7:11 option-conflict
  doc-0104 5:9 refused
  doc-0105 8:15 option-missing
  doc-0107 4:5 option-conflict
  doc-0111 4:41 exception-unknown
  doc-0113 4:9 option-missing
  doc-0114 5:53 option-invalid
  doc-0115 4:9 option-missing
  doc-0116 5:11 format-unknown
  doc-0118 4:41 option-invalid
  doc-0120 4:29 option-invalid
  doc-0121 4:19 placeholder-unresolved
  doc-0124 9:3 template-parameter
  doc-0125 1:3 template-shape
  doc-0128 2:7 option-missing
  doc-0129 3:13 bean-unknown
  doc-0130 4:24 bean-unknown
  doc-0131 6:9 step-twice
  doc-0132 4:9 step-unknown
  doc-0135 4:9 option-missing
  doc-0136 6:7 yaml-block-as-implicit-key
  doc-0137 5:7 yaml-bad-indent
  doc-0138 6:10 claim-twice
  doc-0140 3:12 route-no-steps
  doc-0141 3:5 option-missing
  doc-0142 1:3 route-shape
  doc-0146 5:9 step-shape
`
    .trim()
    .split("\n")
    .map((row) => row.trim().split(" "))
    .map(([id = "", place, code]) => [id, { place, code }]),
);

/** Messages that say themselves what would be right, refusals with what to use instead, and faults in expressions, for which there is no one remedy. */
const isRemedy = (code: string, message: string): boolean =>
  /expected (one of|true or false|a )/.test(message) || code.endsWith("-syntax") || code === "refused";

describe.skipIf(!existsSync(cases))("broken documents of the conformance set", () => {
  const broken = (existsSync(cases) ? readFileSync(cases, "utf8").split("\n") : [])
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { id: string; title: string; yaml: string; expect: { rejected?: boolean } })
    .filter(({ expect: wanted }) => wanted.rejected === true);

  test("all of them are known", () => expect(broken.map(({ id }) => id).filter((id) => !places.has(id))).toEqual([]));

  test.each(broken)("$id $title", async ({ id, yaml }) => {
    const path = `${id}.yaml`;
    const findings = (await findFaults([{ path, text: yaml, kind: "flow" }], { params: {}, environment: {} })) as readonly Finding[];
    // One fault, one finding: what follows from it is not told beside it.
    expect(findings.map(({ line, column, code }) => ({ place: `${line}:${column}`, code }))).toEqual([places.get(id)]);
    const [{ line, column, code, message, fix }] = findings as readonly [Finding];
    expect([message.length > 0, fix !== null || isRemedy(code, message)]).toEqual([true, true]);
    expect(
      yaml
        .split("\n")
        [line - 1]?.slice(column - 1)
        .trim(),
    ).not.toBe("");
  });
});
