import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";
import { findingsIn, type Finding } from "./findings.ts";

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

async function lint(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["lint", ...args], terminal);
  return { exit, output: terminal.output().replaceAll(`${folder}/`, ""), stderr: terminal.stderr().replaceAll(`${folder}/`, "") };
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
      "a.yaml:6:32 simple-unknown-function unknown function 'nosuchfunction()' (fix: the functions are listed in the reference of the Simple language)",
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
      "a.yaml:6:17 placeholder-unresolved no value for parameter 'erp.url' (fix: set it with --param, in <flow>.params.json or application.properties, or as a default: {{name:default}})",
    ],
    ["an empty file", "", "a.yaml:1:1 flow-empty flow defines no routes"],
    ["broken YAML", "- route: {id: a\n- b", "a.yaml:2:1 yaml-"],
  ])("reports %s with position and fix", async (_, text, line) => {
    put({ "a.yaml": text });
    const { exit, output } = await lint(join(folder, "a.yaml"));
    expect(output).toContain(line);
    expect(exit).toBe(1);
  });

  it("finds parameters in their files and in the tests", async () => {
    const text = flow("log: '{{a}} {{b}} {{c}}'");
    const tests = "flow: orders.yaml\nparams: {c: 3}\ntests: [{name: t, when: {direct: orders}, then: [{status: completed}]}]";
    put({ "orders.yaml": text, "orders.params.json": '{"b": 2}', "orders.test.yaml": tests });
    expect(await lint(folder, "-p", "a=1")).toMatchObject({ exit: 0, output: "", stderr: "2 files, 0 errors, 0 warnings\n" });
    expect((await lint(folder)).output).toContain("no value for parameter 'a'");
  });

  it("finds text files next to the flow, above it and in src/main/resources, up to the project root", async () => {
    put({
      "project/package.json": "{}",
      "project/top.txt": "x",
      "project/src/main/resources/path.txt": "${body}",
      "project/flows/beside.txt": "${body}",
      "project/flows/broken.txt": "${nosuchfunction()}",
      "outside.txt": "x",
      "project/flows/good.yaml": flow(
        "setBody: {simple: 'resource:classpath:path.txt'}",
        "setBody: {simple: 'resource:file:beside.txt'}",
        "setBody: {constant: 'resource:file:top.txt'}",
      ),
    });
    expect(await lint(join(folder, "project"))).toMatchObject({ exit: 0 });
    put({ "project/flows/good.yaml": flow("setBody: {simple: 'resource:file:broken.txt'}", "setBody: {constant: 'resource:file:outside.txt'}") });
    const { exit, output } = await lint(join(folder, "project"));
    expect(exit).toBe(1);
    expect(output).toContain("in the file broken.txt:1: unknown function 'nosuchfunction()'");
    expect(output).toContain("the file 'outside.txt' is not in any folder from which text can be loaded");
  });

  it("finds values in application.properties next to the flow and above it, with the selected profile", async () => {
    put({
      "flows/orders.yaml": flow("log: '{{a}} {{b}}'"),
      "flows/application.properties": "a=1",
      "application.properties": "%prod.b=2",
    });
    expect((await lint(join(folder, "flows"))).output).toContain("no value for parameter 'b'");
    expect(await lint(join(folder, "flows"), "--profile", "prod")).toMatchObject({ exit: 0, output: "" });
  });

  it("searches folders for flows and test files only", async () => {
    put({
      "one.yaml": flow("log: x"),
      "deep/two.yaml": flow("log: y"),
      "deep/one.test.yaml": "flow: two.yaml\ntests: [{name: t, when: {direct: a}, then: [{wat: 1}]}]",
      "compose.yaml": "services: {}\n",
    });
    const { output, stderr, exit } = await lint(folder);
    expect(output).toContain("deep/one.test.yaml:2:46 test-file-invalid tests.0.then.0.wat: unknown assertion 'wat'");
    expect(output).toContain("one.yaml:3:5 flow-conflict-route-id route id 'orders' is already used in deep/two.yaml (fix: change one of the ids)");
    expect([stderr, exit]).toEqual(["3 files, 2 errors, 0 warnings\n", 1]);
  });

  it("continues after every file that cannot be used", async () => {
    put({
      "a.yaml": '- rest: {path: "{{p}}", post: [{to: direct:d}]}\n',
      "b.yaml": "- rest: {get: [{id: g}]}\n",
      "c.yaml": `- dataFormats: [{crypto: {algorithm: AES, id: c}}]\n${flow("log: x")}`,
      "e.yaml": flow("log: x").replaceAll("orders", "e"),
      "e.params.json": "[1]",
      "f.yaml": flow("log: x").replaceAll("orders", "f"),
      "f.params.json": "{",
      "last.yaml": flow("nope: {}").replaceAll("orders", "last"),
    });
    writeFileSync(join(folder, "d.yaml"), Buffer.from([0x2d, 0x20, 0xff, 0xfe]));
    const { output, stderr, exit } = await lint(folder);
    for (const line of [
      "a.yaml:1:17 placeholder-unresolved",
      // The route may be in the file that cannot be read.
      "consumer-missing warning: no route consumes 'direct:d'",
      "b.yaml:1:16 option-missing option 'get' of 'rest' needs the option 'to'",
      "c.yaml:1:18 refused",
      "d.yaml:1:1 file-unreadable",
      "e.yaml:1:1 params-invalid",
      "f.yaml:1:1 params-invalid",
      "last.yaml:6:11 step-unknown",
    ])
      expect(output).toContain(line);
    expect([stderr, exit]).toEqual(["7 files, 7 errors, 1 warning\n", 1]);
  });

  it("checks the connections next to the flows, with line and fix", async () => {
    put({
      "connections/orders.yaml": "type: postgres\nvalues:\n  hots: db\n  port: many\n  password: abc-123\n",
      "connections/archive.json": '{"type": "sqlite"}',
      "connections/cache.yaml": "type: rediss\n",
      "connections/shop.yaml": "type: postgres\nvalues: {password: {env: SHOP_PASSWORD}, tls: true}\n",
    });
    const { output, exit } = await lint(folder);
    expect(output.trim().split("\n")).toEqual([
      "connections/archive.json:1:10 option-missing connection 'archive' needs the field 'file' (fix: add 'file' below 'values')",
      "connections/cache.yaml:1:7 connection-unknown-type unknown connection type 'rediss' (fix: did you mean 'redis'?)",
      "connections/orders.yaml:3:3 option-unknown connection 'orders' has no field 'hots' (fix: did you mean 'host'?)",
      "connections/orders.yaml:4:9 option-invalid field 'port' of connection 'orders': expected an integer, got 'many'",
      "connections/orders.yaml:5:13 secret-in-connection warning: the secret 'password' of connection 'orders' is in the file as plain text " +
        "(fix: write password: {env: NAME} for an environment variable, or {file: name} for a file below SERVICE_SECRETS_DIR)",
    ]);
    expect(exit).toBe(1);
  });

  it("reports the problems in a connection file that a linted flow uses, once", async () => {
    put({
      "flows/a.yaml": flow('to: "sql:select 1?dataSource=#orders"', 'to: "sql:select 1?dataSource=#untyped"'),
      "flows/b.yaml": flow('to: "sql:select 1?dataSource=#orders"').replace("id: orders", "id: b").replace("direct:orders", "direct:b"),
      "connections/orders.yaml": "type: postgres\nvalues: {hots: db}\n",
      "connections/untyped.yaml": "values: {host: db}\n",
      "connections/unused.yaml": "type: postgres\nvalues: {hots: db}\n",
    });
    const { output, exit } = await lint(join(folder, "flows"));
    expect(output.trim().split("\n")).toEqual([
      "connections/orders.yaml:2:10 option-unknown connection 'orders' has no field 'hots' (fix: did you mean 'host'?)",
      expect.stringMatching(/^connections\/untyped.yaml:1:1 document-invalid connection 'untyped' has no type \(fix: add 'type', one of /),
    ]);
    expect(exit).toBe(1);
    expect((await lint(folder)).output.match(/connections\/orders.yaml/g)).toHaveLength(1);
  });

  it("warns about a connection that no file defines, because a runtime may have it", async () => {
    put({
      "a/flow.yaml": flow('to: "sql:select 1?dataSource=#orders"', "to: kafka:prices"),
      "b/flow.yaml": flow('to: "sql:select 1"').replace("id: orders", "id: b").replace("direct:orders", "direct:b"),
      "b/connections/orders.yaml": "type: sqlite\nvalues: {file: orders.db}\n",
    });
    const { output, exit } = await lint(folder);
    expect(output.split("\n")).toEqual([
      expect.stringMatching(/^a\/flow.yaml:6:11 connection-missing warning: 'sql' uses the connection 'orders', which does not exist \(fix: /),
      expect.stringMatching(
        /^a\/flow.yaml:7:11 connection-missing warning: 'kafka' does not reference a connection, and no connection of kind kafka exists \(fix: /,
      ),
      "",
    ]);
    expect(exit).toBe(0);
  });

  it("warns about secrets that are written in a flow, and not about placeholders, beans and connections", async () => {
    const secrets = [
      'to: "kafka:prices?brokers=k:9092&saslPassword=abc-123"',
      "to: {uri: kafka:prices, parameters: {brokers: 'k:9092', saslPassword: abc-123}}",
      'to: "https://shop:abc-123@erp.example/orders"',
      "to: {uri: 'https://erp.example/orders', parameters: {authPassword: '{{erp.password:none}}', authUsername: '#user'}}",
    ];
    const beans =
      "- beans:\n    - name: db\n      type: '#class:org.postgresql.ds.PGSimpleDataSource'\n      properties: {user: shop, password: abc-123}\n" +
      "    - name: other\n      type: '#class:org.postgresql.ds.PGSimpleDataSource'\n      properties: {user: shop, password: '{{db.password:none}}'}\n";
    put({ "a.yaml": `${flow(...secrets)}${beans}` });
    const { output, exit } = await lint(folder);
    const found = output.split("\n").filter((line) => line.includes("secret-in-flow"));
    expect(found.map((line) => line.replace(/ \(fix: .*/, ""))).toEqual([
      "a.yaml:6:57 secret-in-flow warning: the secret option 'saslPassword' of 'kafka' is stored in the flow as plain text",
      "a.yaml:7:81 secret-in-flow warning: the secret option 'saslPassword' of 'kafka' is stored in the flow as plain text",
      "a.yaml:8:29 secret-in-flow warning: the password in the address is stored in the flow as plain text",
      "a.yaml:13:42 secret-in-flow warning: the secret property 'password' of a bean is stored in the flow as plain text",
    ]);
    expect([exit, output.includes("{{db.password}}")]).toEqual([0, true]);
  });

  it("warns about percent signs that a URI decodes", async () => {
    const statements = ["like '%ab%'", "like '%25ab'"].map((condition) => `to: "sql:select * from t where x ${condition}?dataSource=#db"`);
    put({ "a.yaml": flow(...statements) });
    const { output } = await lint(folder);
    expect(output.split("\n").filter((line) => line.includes("option-caution"))).toEqual([
      "a.yaml:6:15 option-caution warning: '%ab' in a URI is decoded to one character: write '%25' for a percent sign, or put the statement in the parameter 'query'",
    ]);
  });

  it("warns about received bodies that are executed as SQL statements", async () => {
    const route = (trigger: string, ...steps: readonly string[]): string =>
      ["- from:", `    uri: ${trigger}`, "    steps:", ...steps.map((step) => `      - ${step}`)].join("\n") + "\n";
    const jdbc = "to: jdbc:orders";
    put({
      "a.yaml": route("webhook", "log: x", jdbc),
      "b.yaml": route("nats:orders", "to: {uri: jdbc:orders}"),
      "c.yaml": route("webhook", "setBody: {constant: select 1}", jdbc),
      "d.yaml": route("timer:t", jdbc),
      "e.yaml": route("direct:d", jdbc),
    });
    const { exit, output } = await lint(folder);
    const lines = output.split("\n").filter((line) => line.includes("body-caution"));
    expect(lines.map((line) => line.split(": ")[0])).toEqual(["a.yaml:5:13 body-caution warning", "b.yaml:4:13 body-caution warning"]);
    expect(lines[0]).toContain("the received body is executed as a SQL statement");
    expect(exit).toBe(0);
  });

  it("prints JSON and SARIF", async () => {
    put({ "a.yaml": flow("nope: {}") });
    const path = join(folder, "a.yaml");
    const json = JSON.parse((await lint(path, "--json")).output);
    expect(json).toMatchObject({
      files: 1,
      errors: 1,
      findings: [{ file: "a.yaml", line: 6, column: 11, code: "step-unknown", severity: "error", fix: "see the step reference for all names" }],
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
    [["nowhere.yaml"], "sluice lint: file or folder 'nowhere.yaml' not found: check the path\n"],
    [["--param", "x"], "sluice lint: --param must be name=value, without braces and colons in the name, not 'x'\n"],
    [["--format", "xml"], "sluice lint: invalid value 'xml' for --format: choose one of text, json, sarif; see `sluice lint --help`\n"],
  ])("%j is rejected with one sentence", async (args, sentence) => {
    const terminal = recordedTerminal();
    expect(await runProgram(commands, ["lint", ...args], terminal)).toBe(2);
    expect([terminal.output(), terminal.stderr()]).toEqual(["", sentence]);
  });

  it("finds nothing wrong with the examples", async () => {
    expect(await lint(fileURLToPath(new URL("../../../../../examples", import.meta.url)))).toMatchObject({ exit: 0, output: "" });
  });
});

const cases = process.env["SLUICE_CONFORMANCE"] === undefined ? "" : join(process.env["SLUICE_CONFORMANCE"], "documents.jsonl");

/** The expected position of each error: the word, value or line that an author must change. */
const expectedPositions = new Map(
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
  doc-0132 4:9 name-kebab-case
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
    .map(([id = "", position, code]) => [id, { position, code }]),
);

/** Messages that contain the fix, rejected keywords with an alternative, and errors in expressions, which have no single fix. */
const containsFix = (code: string, message: string): boolean =>
  /expected (one of|true or false|a )/.test(message) || code.endsWith("-syntax") || code === "refused";

describe.skipIf(!existsSync(cases))("broken documents of the conformance set (needs SLUICE_CONFORMANCE, a folder with the conformance set)", () => {
  const broken = (existsSync(cases) ? readFileSync(cases, "utf8").split("\n") : [])
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { id: string; title: string; yaml: string; expect: { rejected?: boolean } })
    .filter(({ expect: expected }) => expected.rejected === true);

  test("each has an expected position", () => expect(broken.map(({ id }) => id).filter((id) => !expectedPositions.has(id))).toEqual([]));

  test.each(broken)("$id $title", async ({ id, yaml }) => {
    const path = `${id}.yaml`;
    const findings = (await findingsIn([{ path, text: yaml, kind: "flow" }], { params: {}, profile: undefined, environment: {} })) as readonly Finding[];
    // One error, one finding: its consequences are not reported.
    expect(findings.map(({ line, column, code }) => ({ position: `${line}:${column}`, code }))).toEqual([expectedPositions.get(id)]);
    const [{ line, column, code, message, fix }] = findings as readonly [Finding];
    expect([message.length > 0, fix !== null || containsFix(code, message)]).toEqual([true, true]);
    const rest = yaml.split("\n")[line - 1]?.slice(column - 1);
    expect(rest?.trim()).not.toBe("");
  });
});
