// Every folder in examples/ is a flow with tests, or a plug-in package, which long/third-party-connector.test.ts runs. The flow tests run here
// through test sessions, as a user would run them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FlowTestFileError, httpTransport, installFlow, readFlowTests, runFlowTest } from "@sluice/flow-tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

const folder = fileURLToPath(new URL("../examples", import.meta.url));
const examples = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !existsSync(join(folder, entry.name, "package.json")))
  .map((entry) => join(folder, entry.name));
const text = (example: string, file: string): string => readFileSync(join(example, file), "utf8");

let server: StartedServer;
beforeAll(async () => {
  const folders = examples.map((example) => join(example, "connections")).filter((connections) => existsSync(connections));
  server = await startTestServer({ env: { SERVICE_CONNECTIONS: folders.join(",") } });
});
afterAll(() => server.end());

const transport = () => httpTransport(server.baseUrl, token);

describe.each(examples.map((example) => [basename(example), example] as const))("example %s", (name, example) => {
  const file = readFlowTests(text(example, "test.yaml"));

  beforeAll(() => installFlow(transport(), name, text(example, file.flow as string), file.params));

  it("has a README that explains what it is and how to try it", () => {
    const readme = text(example, "README.md");
    expect(readme).toMatch(/^# \S/);
    expect(readme).toContain("curl");
  });

  it.each(file.tests.map((test) => [test.name, test] as const))("%s", async (_, test) => {
    expect((await runFlowTest(transport(), test, file.defaults)).failures).toEqual([]);
  });
});

describe("a failing test", () => {
  const run = async (then: string, when = "{webhook: judged, body: x}") => {
    const file = readFlowTests(`flowId: judged\ntests: [{name: t, when: ${when}, then: [${then}]}]`);
    return (await runFlowTest(transport(), file.tests[0] as never, file.defaults, { mockTimeoutMs: 50 })).failures;
  };
  beforeAll(() => installFlow(transport(), "judged", replyFlow("judged", "hello")));

  it.each([
    ["{status: failed}", "expected status failed, got completed"],
    ["{reply: {status: 201}}", 'expected reply status 201, got 200 with "hello"'],
    ["{reply: {body: {a: 1}}}", 'expected a reply that contains {"a":1}, got "hello"'],
    ["{reply: {bodyEquals: hell}}", 'expected the reply "hell", got "hello"'],
    ["{reply: {matches: /^x/}}", 'expected a reply that matches /^x/, got "hello"'],
    ["{reply: {headers: {X-No: 1}}}", "expected the reply header X-No to be 1, got nothing"],
    ["{error: {contains: boom}}", "expected a failure, got status completed"],
    ["{visited: [nowhere]}", "expected visited: nowhere; visited steps: setBody1"],
    ["{notVisited: [setBody1]}", "expected not visited: setBody1; visited steps: setBody1"],
    ["{logged: {contains: nothing like it}}", "expected a log line that contains 'nothing like it', got []"],
    ["{mockCalled: ghost}", "mock 'ghost' was called 0 times, expected at least 1"],
  ])("%s reports: %s", async (then, message) => {
    expect(await run(then)).toEqual([message]);
  });

  it("an unknown route is reported", async () => {
    expect(await run("{status: completed}", "{webhook: nobody}")).toEqual([expect.stringContaining("POST /api/nobody reached no route: 404")]);
    expect(await run("{status: completed}", "{direct: nobody}")).toEqual([expect.stringContaining("no direct endpoint 'direct:nobody'")]);
  });
});

describe("an invalid test file", () => {
  it.each([
    ["tests: []", "tests"],
    [
      "flow: a.yaml\ntests: [{name: t, when: {webhook: a}, then: [{stauts: x}]}]",
      "line 2, column 47: tests.0.then.0.stauts: unknown assertion 'stauts' (did you mean 'status'?)",
    ],
    ["flow: a.yaml\nflowId: a\ntests: [{name: t, when: {webhook: a}, then: [{status: completed}]}]", "needs either 'flow' (a file name) or 'flowId'"],
    ["flow: [", "invalid YAML"],
  ])("%j is rejected", (yaml, reason) => {
    expect(() => readFlowTests(yaml)).toThrow(FlowTestFileError);
    expect(() => readFlowTests(yaml)).toThrow(reason);
  });
});
