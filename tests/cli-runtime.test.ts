// The commands that call a runtime, tested against a real runtime.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { call, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
let session: CliSession;
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl });
  session.put({ token: `${token}\n` });
});
afterAll(async () => {
  session.remove();
  await server.end();
});

const put = (files: Readonly<Record<string, string>>): void => session.put(files);
const sluice = (...args: readonly string[]) => session.sluice(...args, "--token-file", "token");
/** Interrupts the command when it has printed the text. */
const sluiceUntil = (until: string, ...args: readonly string[]) => session.run([...args, "--token-file", "token"], { until });
const deployed = async (): Promise<readonly string[]> => ((await server.api("GET", "/flows")).json.flows as readonly { id: string }[]).map(({ id }) => id);

describe("output about runs", () => {
  it("trace --replay explains why there are no events, and where to look instead", async () => {
    const { stderr, exit } = await sluiceUntil("shows the steps of a run", "trace", "--replay", "10");
    expect([exit, stderr]).toEqual([130, expect.stringContaining("No past events: the runtime stores trace events only while a client follows")]);
    expect(stderr).toContain("`sluice runs <id>` shows the steps of a run\n");
  });

  it("the log line of a failed run names the command that shows it", async () => {
    await server.putFlow("fails", "- from: {uri: webhook, steps: [{throwException: {exceptionType: java.lang.Exception, message: boom}}]}");
    const { status, headers } = await call(server.baseUrl, "POST", "/api/fails", "x");
    const id = headers.get("x-run-id") as string;
    expect(status).toBe(500);
    await eventually(() => server.logText().includes(`boom (details: sluice runs ${id})`));
    expect((await sluice("runs", id)).output).toContain("java.lang.Exception: boom");
    await server.api("DELETE", "/flows/fails");
  });
});

describe("sluice deploy", () => {
  it("deploys a folder: tables, policies, flows; and does nothing the second time", async () => {
    put({
      "d/one.yaml": replyFlow("one", "1"),
      "d/value-mappings/uom.json": '{"entries":{"piece":"ST"}}',
      "d/value-mappings/plants.csv": "co,werk\n1,W1\n",
      "d/policies/one.json": '{"default":"deny"}',
    });
    const dry = await sluice("deploy", "d", "--dry-run");
    expect(dry.output).toBe(
      "+ value-mapping plants (d/value-mappings/plants.csv)\n+ value-mapping uom (d/value-mappings/uom.json)\n+ policy one (d/policies/one.json)\n+ flow one (d/one.yaml)\n    routes added: one\n",
    );
    expect([dry.stderr, await deployed()]).toEqual(["4 of 4 artifacts would change; nothing was deployed\n", []]);
    expect(await sluice("deploy", "d")).toMatchObject({ exit: 0, stderr: expect.stringContaining(`4 artifacts deployed to ${server.baseUrl}`) });
    expect((await call(server.baseUrl, "POST", "/api/one")).status).toBe(403);
    expect((await server.api("GET", "/value-mappings/uom")).json).toMatchObject({ entries: { piece: "ST" } });
    expect(await sluice("deploy", "d")).toMatchObject({ exit: 0, stderr: "Nothing to do: all artifacts are up to date\n" });
  });

  it("shows the lines that change", async () => {
    put({ "lines.yaml": replyFlow("lines", "before") });
    await sluice("deploy", "lines.yaml");
    put({ "lines.yaml": replyFlow("lines", "after") });
    const { output, exit } = await sluice("deploy", "lines.yaml");
    expect(output).toContain("~ flow lines (lines.yaml)\n              - setBody:\n    -             constant: before\n    +             constant: after\n");
    expect([exit, (await call(server.baseUrl, "POST", "/api/lines")).text]).toEqual([0, "after"]);
  });

  it("rolls back when one part is rejected", async () => {
    put({ "r/a.yaml": replyFlow("ra", "old"), "r/value-mappings/back.json": '{"entries":{"a":"1"}}' });
    await sluice("deploy", "r");
    // Each flow is valid on its own; together they claim the same route id, which no single check can detect.
    put({
      "r/a.yaml": replyFlow("ra", "new"),
      "r/b.yaml": replyFlow("rb", "b"),
      "r/c.yaml": replyFlow("rb", "c"),
      "r/value-mappings/back.json": '{"entries":{"a":"2"}}',
    });
    const { exit, stderr } = await sluice("deploy", "r");
    expect([exit, stderr]).toEqual([1, "sluice deploy: r/c.yaml: route id 'rb' is already used by flow 'b'; the other changes were rolled back\n"]);
    expect((await call(server.baseUrl, "POST", "/api/ra")).text).toBe("old");
    expect((await server.api("GET", "/value-mappings/back")).json).toMatchObject({ entries: { a: "1" } });
    expect(await deployed()).not.toContain("b");
  });

  it("rejects a flow with failing tests or errors before anything changes", async () => {
    const tests = (reply: string): string => `flow: tested.yaml\ntests: [{name: says it, when: {webhook: tested}, then: [{reply: {bodyEquals: ${reply}}}]}]\n`;
    put({ "t/tested.yaml": replyFlow("tested", "right"), "t/tested.test.yaml": tests("wrong") });
    const refused = await sluice("deploy", "t", "--tests", "required");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('expected the reply "wrong", got "right"')]);
    expect(refused.stderr).toContain("nothing was changed");
    expect(await deployed()).not.toContain("tested");
    put({ "t/tested.test.yaml": tests("right") });
    expect(await sluice("deploy", "t", "--tests", "required")).toMatchObject({ exit: 0 });
    put({ "t/more.test.yaml": tests("wrong") });
    const several = await sluice("deploy", "t", "--tests", "required");
    expect([several.exit, several.stderr]).toEqual([
      2,
      expect.stringMatching(/more\.test\.yaml' and '.*tested\.test\.yaml' both contain tests of '.*tested\.yaml'/),
    ]);
    rmSync(join(session.path, "t/more.test.yaml"));
    put({ "t/tested.yaml": replyFlow("tested", "right").replace("setBody", "setBdy") });
    expect((await sluice("deploy", "t")).stderr).toBe(
      "sluice deploy: t/tested.yaml: line 6: unknown step 'setBdy' in route 'tested' (did you mean 'setBody'?)\n",
    );
  });

  it("detects concurrent changes and does not overwrite them", async () => {
    put({ "race.yaml": replyFlow("race", "1") });
    await sluice("deploy", "race.yaml");
    put({ "race.yaml": replyFlow("race", "mine") });
    const { fetch: originalFetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      if (init?.method === "PUT" && !String(input).includes("dryRun")) {
        globalThis.fetch = originalFetch;
        await server.putFlow("race", replyFlow("race", "theirs"));
      }
      return originalFetch(input, init);
    };
    const { exit, stderr } = await sluice("deploy", "race.yaml").finally(() => (globalThis.fetch = originalFetch));
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/race\.yaml: flow 'race' changed since hash [0-9a-f]{64}; nothing was changed/)]);
    expect((await call(server.baseUrl, "POST", "/api/race")).text).toBe("theirs");
  });
});

describe("runs, logs, trace and replay", () => {
  const flow =
    "- route:\n    id: watched\n    from: {uri: webhook, steps: [{log: 'got ${body}'}, {setBody: {id: answer, constant: hello}}]}\n- route:\n    id: broken\n    from: {uri: webhook, steps: [{throwException: {id: boom, exceptionType: java.lang.IllegalStateException, message: went wrong}}]}\n";
  beforeAll(async () => {
    expect((await server.putFlow("watched", flow)).status).toBe(201);
    await call(server.baseUrl, "POST", "/api/watched", "Ada");
    await call(server.baseUrl, "POST", "/api/broken", "Bob");
  });

  it("lists runs, oldest first, and shows one with its steps", async () => {
    const { output } = await sluice("runs", "--flow", "watched");
    expect(output).toMatch(
      /^STARTED +STATUS +ROUTE +RUN +MS +ERROR\n\S+ {2}completed {2}watched {2}run_\S+ .*\n\S+ {2}failed {5}broken {3}run_\S+ .* went wrong\n$/,
    );
    const id = (await server.api("GET", "/runs?routeId=broken")).json.runs[0].id as string;
    const shown = await sluice("runs", id);
    expect(shown.output).toContain("✗ boom throwException");
    expect(shown.output).toContain("error    java.lang.IllegalStateException: went wrong at boom");
    expect(JSON.parse((await sluice("runs", id, "--json")).output)).toMatchObject({ id, status: "failed" });
    expect((await sluice("runs", "last", "--status", "completed")).output).toContain("watched");
  });

  it("follows the trace as lines and as JSON", async () => {
    const lines = sluiceUntil("watched completed", "trace", "--route", "watched");
    const json = sluiceUntil('"run.failed"', "trace", "--route", "broken", "--type", "run.*", "--json");
    await eventually(async () => (await server.api("GET", "/health")).json.streamClients === 2);
    await call(server.baseUrl, "POST", "/api/watched", "Eve\u001B[31m");
    await call(server.baseUrl, "POST", "/api/broken", "x");
    const { output, exit } = await lines;
    expect(exit).toBe(130);
    expect(output).toMatch(/watched run_\S+ .*\n.* ✓ log1 log .*\n.* ✓ answer setBody .* hello\n.* watched completed/);
    expect(output).not.toContain("\u001B");
    const events = (await json).output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(events).toEqual(["run.started", "run.failed"]);
  });

  it("shows past log records and filters them", async () => {
    const { output } = await sluiceUntil("got Ada", "logs", "--replay", "100", "--grep", "got Ada");
    expect(output).toMatch(/^\S+ INFO {2}watched got Ada\n$/);
  });

  it("replays a run and reports whether the outcome is the same", async () => {
    const id = (await server.api("GET", "/runs?routeId=watched")).json.runs.at(-1).id as string;
    const same = await sluice("replay", id);
    expect([same.exit, same.output]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^run_\\S+ completed in \\d+ ms \\(replay of ${id}\\)\\nbody: hello\\nthe outcome is the same\\n$`)),
    ]);
    await server.putFlow("watched", flow.replace("hello", "bye"));
    const other = await sluice("replay", id, "--body", "Zoe");
    expect(other.output).toContain("the flow changed after the run");
    expect(other.output).toContain('body: was "hello"');
    expect(await sluice("replay", "run_nobody")).toMatchObject({ exit: 1, stderr: "sluice replay: run 'run_nobody' not found\n" });
  });
});

describe("sluice record", () => {
  it("creates a test from a run with the partner's real reply as its mock, and the test passes without the partner", async () => {
    const partner = await stubPartner((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end('{"price": 42}');
    });
    const flow = `- route:\n    id: priced\n    from:\n      uri: webhook\n      steps:\n        - to: {id: ask-price, uri: "{{partner}}/price", parameters: {httpMethod: GET}}\n        - setBody: {simple: "costs \${body}"}\n`;
    await server.putFlow("priced", flow, { partner: partner.url });
    const uncaptured = await call(server.baseUrl, "POST", "/api/priced", "x");
    expect(await sluice("record", uncaptured.headers.get("x-run-id") as string)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("were not captured: turn on capture with `sluice routes capture priced --minutes 10`"),
    });
    expect(await sluice("routes", "capture", "priced", "--minutes", "5")).toMatchObject({ exit: 0 });
    const reply = await call(server.baseUrl, "POST", "/api/priced", "KB-1", { "content-type": "text/plain" });
    expect(reply.text).toBe('costs {"price": 42}');
    await partner.close();
    const { exit, stderr } = await sluice("record", reply.headers.get("x-run-id") as string, "--output", "priced.test.yaml", "--flow", "priced.yaml");
    expect([exit, stderr]).toEqual([0, "The test passes; written to priced.test.yaml\n"]);
    const test = parse(session.read("priced.test.yaml")).tests[0];
    expect(test.mocks).toMatchObject([{ id: "ask-price", match: { stepId: "ask-price" }, respond: { status: 200, body: expect.anything() } }]);
    expect(test.when).toMatchObject({ webhook: "priced", body: "KB-1" });
    expect(test.then).toEqual([{ status: "completed" }, { reply: { status: 200, bodyEquals: 'costs {"price": 42}' } }]);
    expect(await sluice("record", reply.headers.get("x-run-id") as string, "--output", "priced.test.yaml")).toMatchObject({ exit: 2 });

    put({ "priced.yaml": flow, "priced.params.json": '{"partner": "http://partner.invalid"}' });
    put({ "priced.test.yaml": session.read("priced.test.yaml").replace("tests:", "params: {partner: http://partner.invalid}\ntests:") });
    const tested = await session.sluice("test", "priced.test.yaml");
    expect(tested.exit, tested.output).toBe(0);
  });
});

it("sluice record keeps the query of the request", async () => {
  await server.putFlow(
    "asked",
    `- route: {id: asked, from: {uri: webhook, parameters: {httpMethodRestrict: GET}, steps: [{setBody: {simple: "size \${header.size}"}}]}}`,
  );
  expect(await sluice("routes", "capture", "asked", "--minutes", "5")).toMatchObject({ exit: 0 });
  const reply = await call(server.baseUrl, "GET", "/api/asked?size=3");
  expect(reply.text).toBe("size 3");
  const recorded = await sluice("record", reply.headers.get("x-run-id") as string, "--output", "asked.test.yaml");
  const test = parse(session.read("asked.test.yaml")).tests[0];
  expect(test.when).toMatchObject({ webhook: "asked", method: "GET", query: "size=3" });
  expect(test.when.headers ?? {}).not.toHaveProperty("size");
  expect(test.then).toEqual([{ status: "completed" }, { reply: { status: 200, bodyEquals: "size 3" } }]);
  expect(recorded).toMatchObject({ exit: 0, stderr: "The test passes; written to asked.test.yaml\n" });
});

describe("sluice test --runtime", () => {
  it("tests what is deployed, in sessions that do not affect live traffic", async () => {
    await server.putFlow("live", "- route:\n    id: live\n    from: {uri: webhook, steps: [{setBody: {id: partner, constant: real}}]}\n");
    put({
      "live.test.yaml":
        "flowId: live\ntests: [{name: mocked, mocks: [{id: p, match: {stepId: partner}, respond: {body: false one}}], when: {webhook: live}, then: [{reply: {bodyEquals: false one}}]}]\n",
    });
    expect(await sluice("test", "live.test.yaml", "--coverage", "--runtime", server.baseUrl)).toMatchObject({
      exit: 0,
      output: expect.stringContaining("Coverage of live: steps 100.0%"),
    });
    expect((await call(server.baseUrl, "POST", "/api/live")).text).toBe("real");
    put({ "live.test.yaml": "flowId: nobody\ntests: [{name: t, when: {webhook: live}, then: [{status: completed}]}]\n" });
    expect(await sluice("test", "live.test.yaml", "--runtime", server.baseUrl)).toMatchObject({
      exit: 2,
      output: expect.stringContaining(`flow 'nobody' is not deployed at ${server.baseUrl}: deploy it first with \`sluice deploy\``),
    });
  });
});

describe("sluice doctor", () => {
  const doctor = (...args: readonly string[]) => session.run(["doctor", ...args], { env: { SERVICE_PORT: "0", DESIGNER_PORT: "0" } });

  it("checks a reachable and an unreachable runtime", async () => {
    const { output } = await doctor("--json", "--token-file", "token");
    const states = Object.fromEntries(JSON.parse(output).findings.map(({ check, state }: { check: string; state: string }) => [check, state]));
    expect(states).toMatchObject({ runtime: "ok", version: "ok", "deploy token": "ok", clock: "ok" });
    put({ "wrong-token": "wrong" });
    expect(await doctor("--token-file", "wrong-token")).toMatchObject({
      exit: 1,
      output: expect.stringMatching(/✗ deploy token .* rejected the deploy token/),
    });
    const unreachable = await doctor("--runtime", "http://127.0.0.1:9");
    expect([unreachable.exit, unreachable.output]).toEqual([
      1,
      expect.stringMatching(/✗ runtime .* no runtime at http:\/\/127\.0\.0\.1:9 .*\(fix: start one with `sluice start`/),
    ]);
  });
});
