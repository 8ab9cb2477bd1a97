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
      "a wrong expression",
      flow("setBody: {simple: '${nosuchfunction()}'}"),
      "a.yaml:6:31 simple-unknown-function there is no function 'nosuchfunction()' (fix: the functions are listed in the reference of the Simple language)",
    ],
    ["a mapping in place of the list", "route: {id: a}\n", "a.yaml:1:1 flow-shape a flow must be a list of routes, got a mapping (fix: write '- route:')"],
    [
      "a parameter without a value",
      flow("log: '{{erp.url}}'"),
      "a.yaml:6:16 placeholder-unresolved no value for parameter 'erp.url' (fix: give it with --param, in <flow>.params.json, or as a default: {{name:default}})",
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
      findings: [{ file: "a.yaml", line: 6, column: 11, code: "step-unknown", severity: "error", fix: null }],
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
    [["nowhere.yaml"], "sluice lint: there is no file or folder 'nowhere.yaml'\n"],
    [["--param", "x"], "sluice lint: --param must be name=value, not 'x'\n"],
    [
      ["--format", "xml"],
      "sluice lint: option '--format <text|json|sarif>' argument 'xml' is invalid. Allowed choices are text, json, sarif.; see `sluice lint --help`\n",
    ],
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

describe.skipIf(!existsSync(cases))("broken documents of the conformance set", () => {
  const broken = (existsSync(cases) ? readFileSync(cases, "utf8").split("\n") : [])
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { id: string; title: string; yaml: string; expect: { rejected?: boolean } })
    .filter(({ expect: wanted }) => wanted.rejected === true);

  test.each(broken)("$id $title", async ({ yaml }) => {
    const findings = (await findFaults([{ path: "a.yaml", text: yaml, kind: "flow" }], { params: {}, environment: {} })) as readonly Finding[];
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.length).toBeGreaterThan(0);
    const lines = yaml.split("\n");
    for (const { line, column, code, message } of errors) {
      expect([code, message.length > 0]).toEqual([expect.stringMatching(/^[a-z]+(-[a-z]+)+$/), true]);
      // A place in the text that holds something, unless the document is empty.
      if (yaml.trim() !== "") expect(lines[line - 1]?.slice(column - 1).trim()).not.toBe("");
    }
  });
});
