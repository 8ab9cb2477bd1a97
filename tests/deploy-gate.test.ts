// PUT …?tests=required: a flow is deployed only when its tests pass, and testing it has no side effects.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, replyFlow, startTestServer, type ApiReply, type StartedServer } from "./started-server.ts";

let server: StartedServer;
const inbox = mkdtempSync(join(tmpdir(), "sluice-inbox-"));
const functions = mkdtempSync(join(tmpdir(), "sluice-functions-"));
/** A temporary directory for this file only, so that other tests do not interfere. */
const testTmpDir = mkdtempSync(join(tmpdir(), "sluice-deploy-gate-"));
const functionsFile = join(functions, "functions.mjs");
/** What the step `bean: waits` waits for. */
let waitForTest: (() => Promise<void>) | undefined;
const originalTmpDir = process.env["TMPDIR"];
beforeAll(async () => {
  process.env["TMPDIR"] = testTmpDir;
  writeFileSync(functionsFile, "export const waits = () => globalThis.sluiceDeployGate();");
  Object.assign(globalThis, { sluiceDeployGate: () => waitForTest?.() });
  server = await startTestServer({ env: { SERVICE_FUNCTIONS: functionsFile } });
});
afterAll(async () => {
  await server.end();
  if (originalTmpDir === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = originalTmpDir;
  for (const folder of [inbox, functions, testTmpDir]) rmSync(folder, { recursive: true, force: true });
});

const put = (id: string, body: unknown, query = "?tests=required"): Promise<ApiReply> => server.api("PUT", `/flows/${id}${query}`, body);
const webhook = (id: string): Promise<ApiReply> => call(server.baseUrl, "POST", `/api/${id}`, "x");
const testsExpecting = (route: string, text: string, name = "answers"): string => `flow: flow.yaml
tests:
  - name: ${name}
    when: {webhook: ${route}, body: x}
    then: [{status: completed}, {reply: {status: 200, body: ${text}}}]
`;

describe("the deploy gate", () => {
  it("a flow whose tests pass is deployed, and its tests are stored", async () => {
    const reply = await put("gated", { yaml: replyFlow("gated", "one"), tests: testsExpecting("gated", "one") });
    expect([reply.status, reply.json.testsPassed, reply.json.created]).toEqual([201, 1, true]);
    expect((await webhook("gated")).text).toBe("one");
    expect((await server.api("GET", "/flows/gated")).json.tests).toBe(testsExpecting("gated", "one"));
  });

  it("a flow whose tests fail is rejected with the name of the test, and the running version stays", async () => {
    const reply = await put("gated", { yaml: replyFlow("gated", "two"), tests: testsExpecting("gated", "three") });
    expect([reply.status, reply.json]).toEqual([
      422,
      { error: `1 of 1 tests of flow 'gated' failed: 'answers' (line 3): expected the reply "three", got "two"` },
    ]);
    expect((await webhook("gated")).text).toBe("one");
    expect((await server.api("GET", "/flows/gated")).json).toMatchObject({ yaml: replyFlow("gated", "one"), tests: testsExpecting("gated", "one") });
  });

  it("stored tests apply to a later version without tests, even if it is sent as plain YAML", async () => {
    const refused = await put("gated", { yaml: replyFlow("gated", "two") });
    expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining(`expected the reply "one", got "two"`)]);
    const raw = await server.api("PUT", "/flows/gated?tests=required", replyFlow("gated", "two"), { "content-type": "application/yaml" });
    expect(raw.status).toBe(422);
    expect((await server.api("PUT", "/flows/gated", replyFlow("gated", "two"), { "content-type": "application/yaml" })).status).toBe(200);
    expect((await webhook("gated")).text).toBe("two");
    const back = await put("gated", { yaml: replyFlow("gated", "one") });
    expect([back.status, back.json.testsPassed]).toEqual([200, 1]);
  });

  it("an unchanged flow is tested again", async () => {
    const reply = await put("gated", { yaml: replyFlow("gated", "one") });
    expect(reply.json).toMatchObject({ changed: false, testsPassed: 1 });
    expect((await put("gated", { yaml: replyFlow("gated", "one"), tests: testsExpecting("gated", "other") })).status).toBe(422);
  });

  it("null removes the tests; without any the deployment is rejected, and dryRun tests without installing", async () => {
    expect((await put("gated", { yaml: replyFlow("gated", "one"), tests: null }, "")).status).toBe(200);
    expect((await server.api("GET", "/flows/gated")).json.tests).toBeNull();
    const reply = await put("gated", { yaml: replyFlow("gated", "two") });
    expect([reply.status, reply.json]).toEqual([422, { error: "flow 'gated' has no tests: send them as 'tests' together with 'yaml'" }]);
    const dry = await put("fresh", { yaml: replyFlow("fresh", "a"), tests: testsExpecting("fresh", "a") }, "?tests=required&dryRun=true");
    expect([dry.status, dry.json.testsPassed, dry.json.dryRun]).toEqual([200, 1, true]);
    expect((await server.api("GET", "/flows/fresh")).status).toBe(404);
    expect((await put("fresh", { yaml: replyFlow("fresh", "a"), tests: testsExpecting("fresh", "b") }, "?tests=required&dryRun=true")).status).toBe(422);
  });

  it("errors in the flow and errors in the tests are distinguished", async () => {
    const faulty = await put("bad", { yaml: replyFlow("bad", "x").replace("setBody", "setBdy"), tests: testsExpecting("bad", "x") });
    expect([faulty.status, faulty.json.error]).toEqual([422, expect.stringMatching(/^line 6: unknown step 'setBdy'/)]);
    for (const query of ["", "?tests=required"]) {
      const wrong = await put("bad", { yaml: replyFlow("bad", "x"), tests: "tests:\n  - nam: x\n" }, query);
      expect([wrong.status, wrong.json.error]).toEqual([422, expect.stringMatching(/^tests: line \d+, column \d+: /)]);
    }
    const other = await put("bad", { yaml: replyFlow("bad", "x"), tests: testsExpecting("bad", "x").replace("flow: flow.yaml", "flowId: another") });
    expect([other.status, other.json]).toEqual([422, { error: "tests: the tests are for flow 'another', not for flow 'bad'" }]);
    const file = await put("bad", { yaml: replyFlow("bad", "x"), tests: `valueMappings: {uom: uom.json}\n${testsExpecting("bad", "x")}` });
    expect([file.status, file.json]).toEqual([422, { error: "tests: the file 'uom.json' is not available: put its content into the tests" }]);
    expect((await put("bad", { yaml: replyFlow("bad", "x"), tests: 5 })).json).toEqual({ error: "tests must be a string" });
    expect((await put("bad", { yaml: replyFlow("bad", "x") }, "?tests=perhaps")).json).toEqual({ error: "tests must be one of required" });
    expect((await server.api("GET", "/flows/bad")).status).toBe(404);
  });

  it("testing consumes nothing: files stay, timers do not fire, no external system is called", async () => {
    writeFileSync(join(inbox, "waiting.txt"), "keep me");
    const yaml = `- route:
    id: from-files
    from:
      uri: file:${inbox}
      steps:
        - to: {id: send, uri: "http://partner.invalid/x"}
- route:
    id: ticking
    from:
      uri: timer:tick?period=20
      steps:
        - to: {id: tick-send, uri: "http://partner.invalid/tick"}
`;
    const tests = `flow: flow.yaml
tests:
  - name: sends the content of a file
    mocks: [{id: partner, match: {stepId: send}, respond: {status: 200, body: done}}]
    when: {route: from-files, body: hello}
    then: [{status: completed}, {mockCalled: {mock: partner, times: 1, with: {body: hello}}}]
`;
    const dry = await put("files", { yaml, tests }, "?tests=required&dryRun=true");
    expect([dry.status, dry.json.error, dry.json.testsPassed]).toEqual([200, undefined, 1]);
    expect(readdirSync(inbox)).toEqual(["waiting.txt"]);
    expect((await server.api("GET", "/runs?routeId=ticking")).json.total).toBe(0);
  });

  it("uses tables, parameters and variables like the flow, and leaves no temporary files", async () => {
    await server.api("PUT", "/value-mappings/uom", { entries: { piece: "ST" } });
    const yaml = `- route:
    id: mapped
    from:
      uri: webhook
      steps:
        - setBody: {simple: "{{prefix}}-\${valueMapping(uom,from,to,piece)}"}
`;
    const reply = await put("mapped", { yaml, params: { prefix: { value: "p", secret: true } }, tests: testsExpecting("mapped", "p-ST") });
    expect([reply.status, reply.json.error]).toEqual([201, undefined]);
    expect((await webhook("mapped")).text).toBe("p-ST");
    expect(tmpdir()).toBe(testTmpDir);
    expect(readdirSync(testTmpDir).filter((name) => name.startsWith("sluice-trial-"))).toEqual([]);
  });

  it("a deployed flow serves requests while another version is tested, and other deployments continue", async () => {
    let finishTrial: (() => void) | undefined;
    waitForTest = () => new Promise((resolve) => (finishTrial = resolve));
    await put("busy", { yaml: replyFlow("busy", "v1") }, "");
    const yaml = replyFlow("busy", "v2").replace("        - setBody:", "        - bean: waits\n        - setBody:");
    const deployment = put("busy", { yaml, tests: testsExpecting("busy", "v2") });
    await expect.poll(() => finishTrial).toBeDefined();
    for (let count = 0; count < 3; count++) expect((await webhook("busy")).text).toBe("v1");
    expect((await put("other", { yaml: replyFlow("other", "x") }, "")).status).toBeLessThan(300);
    expect([(await webhook("other")).text, (await webhook("busy")).text]).toEqual(["x", "v1"]);
    waitForTest = undefined;
    finishTrial?.();
    expect((await deployment).status).toBe(200);
    expect((await webhook("busy")).text).toBe("v2");
  });

  it("tests are deleted with their flow", async () => {
    await put("gone", { yaml: replyFlow("gone", "x"), tests: testsExpecting("gone", "x") });
    expect(existsSync(join(server.dataDir, "flow-tests/gone.yaml"))).toBe(true);
    await server.api("DELETE", "/flows/gone");
    expect(existsSync(join(server.dataDir, "flow-tests/gone.yaml"))).toBe(false);
  });
});
