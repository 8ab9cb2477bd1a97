// Flows over the management API: install, replace, list, remove, persistence.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "./sha256.ts";
import { call, directFlow, eventually, followStream, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer({ env: { FLOW_ENV: "from-env", MY_SECRET: "S3CR3T-from-env" } });
});
afterAll(() => server.end());

const post = (routeId: string, body = "x"): ReturnType<typeof call> => call(server.baseUrl, "POST", `/api/${routeId}`, body);
async function result(routeId: string): Promise<unknown> {
  const { sessionId } = (await server.api("POST", "/test/session", { scope: "session" })).json;
  const reply = await server.api("POST", "/test/invoke", { sessionId, routeId });
  await server.api("DELETE", `/test/session/${sessionId}`);
  return reply.json.body;
}
const entry = async (id: string): Promise<any> => (await server.api("GET", "/flows")).json.flows.find((flow: { id: string }) => flow.id === id);

describe("install and replace", () => {
  it("a flow whose routes are all skipped by preconditions is installed without routes", async () => {
    const yaml = replyFlow("switched", "hello").replace("id: switched", 'id: switched\n    precondition: "{{on}}"');
    expect(yaml).toContain("precondition");
    expect((await server.putFlow("switched", yaml, { on: "false" })).json).toMatchObject({ routeCount: 0, routes: [] });
    expect((await post("switched")).status).toBe(404);
    expect((await server.putFlow("switched", yaml, { on: "true" })).json).toMatchObject({ routeCount: 1 });
    expect((await post("switched")).text).toContain("hello");
    await server.api("DELETE", "/flows/switched");
  });

  it("a new flow is 201, listed with hash, time and routes, and served", async () => {
    const yaml = replyFlow("greet", "hello");
    const put = await server.putFlow("greetings", yaml);
    expect(put.status).toBe(201);
    expect(put.json).toEqual({
      id: "greetings",
      created: true,
      changed: true,
      hash: sha256(yaml),
      lastModified: statSync(join(server.routesDir, "greetings.yaml")).mtime.toISOString(),
      routeCount: 1,
      routes: [{ id: "greet", from: "webhook", status: "Started", url: "/api/greet" }],
      warnings: [],
      revision: 1,
    });
    expect(put.headers.get("etag")).toBe(`"${sha256(yaml)}"`);
    expect(await entry("greetings")).toEqual({
      id: "greetings",
      file: "greetings.yaml",
      lastModified: put.json.lastModified,
      hash: sha256(yaml),
      routeCount: 1,
      status: "Started",
      routes: [{ id: "greet", status: "Started" }],
      paramNames: [],
      hasPolicy: false,
      error: null,
    });
    expect((await post("greet")).text).toBe("hello");
  });

  it("a replaced flow is 200 and behaves as the new version", async () => {
    await server.putFlow("swap", replyFlow("swap", "one"));
    const put = await server.putFlow("swap", replyFlow("swap", "two"));
    expect([put.status, put.json.created]).toEqual([200, false]);
    expect((await post("swap")).text).toBe("two");
  });

  it("an identical PUT is 200 and restarts nothing", async () => {
    const yaml = replyFlow("same", "x");
    await server.putFlow("same", yaml);
    const file = server.routesDir + "/same.yaml";
    utimesSync(file, 1_000, 1_000);
    const { ino, mtimeMs } = statSync(file);
    const repeated = await server.putFlow("same", yaml);
    expect([repeated.status, repeated.json.changed, repeated.json.created]).toEqual([200, false, false]);
    expect(statSync(file)).toMatchObject({ ino, mtimeMs });
  });

  it("raw YAML is accepted as application/yaml and stored byte for byte", async () => {
    const yaml = `# \u{1f600} comment\r\n${replyFlow("raw", "ok").replaceAll("\n", "\r\n")}`.trimEnd();
    const put = await server.api("PUT", "/flows/raw", yaml, { "content-type": "application/yaml" });
    expect([put.status, put.json.hash]).toEqual([201, sha256(yaml)]);
    expect(readFileSync(join(server.routesDir, "raw.yaml"), "utf8")).toBe(yaml);
    const read = await server.api("GET", "/flows/raw", undefined, { accept: "application/yaml" });
    expect(read.text).toBe(yaml);
  });

  it("a route id that cannot be part of a URL is rejected", async () => {
    const reply = await server.putFlow("half", replyFlow("half", "x").replace("id: half", String.raw`id: "half\ud800"`));
    expect([reply.status, reply.json.error]).toEqual([422, expect.stringContaining("it contains an unpaired surrogate")]);
    expect(await entry("half")).toBeUndefined();
  });

  it("a byte order mark, emoji and a missing last line break keep their bytes and hash", async () => {
    for (const yaml of [`\ufeff${replyFlow("bytes", "x")}`, `${replyFlow("bytes", "x")}# \u{1f980}`]) {
      const put = await server.putFlow("bytes", yaml);
      expect([put.status < 300, put.json.hash]).toEqual([true, sha256(yaml)]);
      expect(sha256(readFileSync(join(server.routesDir, "bytes.yaml")))).toBe(sha256(yaml));
    }
  });

  it("two routes in one flow both run and are counted", async () => {
    const put = await server.putFlow("pair", replyFlow("pair-a", "a") + replyFlow("pair-b", "b"));
    expect(put.json.routeCount).toBe(2);
    expect([(await post("pair-a")).text, (await post("pair-b")).text]).toEqual(["a", "b"]);
  });

  it("If-Match detects a concurrent change", async () => {
    const first = replyFlow("race", "1");
    await server.putFlow("race", first);
    const outdated = await server.api("PUT", "/flows/race", { yaml: replyFlow("race", "2") }, { "if-match": '"0000"' });
    expect([outdated.status, outdated.json]).toEqual([412, { error: "flow 'race' changed since hash 0000" }]);
    expect((await post("race")).text).toBe("1");
    expect((await server.api("PUT", "/flows/race", { yaml: replyFlow("race", "2") }, { "if-match": `"${sha256(first)}"` })).status).toBe(200);
    expect((await server.api("DELETE", "/flows/race", undefined, { "if-match": `"${sha256(first)}"` })).status).toBe(412);
  });

  it("If-Match: * replaces an existing flow only", async () => {
    const put = (text: string) => server.api("PUT", "/flows/any-version", { yaml: replyFlow("any-version", text) }, { "if-match": "*" });
    const missing = await put("1");
    expect([missing.status, missing.json]).toEqual([412, { error: "flow 'any-version' does not exist, but 'If-Match: *' requires it: remove the header" }]);
    await server.putFlow("any-version", replyFlow("any-version", "1"));
    expect((await put("2")).status).toBe(200);
    expect((await post("any-version")).text).toBe("2");
  });

  it("dryRun reports what would change and changes nothing", async () => {
    await server.putFlow("dry", replyFlow("dry-a", "1"));
    const reply = await server.api("PUT", "/flows/dry?dryRun=true", { yaml: replyFlow("dry-b", "2") });
    expect([reply.status, reply.json.routes]).toEqual([200, { added: ["dry-b"], removed: ["dry-a"], kept: [] }]);
    expect((await post("dry-a")).text).toBe("1");
    expect((await server.api("PUT", "/flows/dry-new?dryRun=true", { yaml: replyFlow("dry-new", "2") })).status).toBe(200);
    expect(await entry("dry-new")).toBeUndefined();
  });

  it("dryRun reports the difference by route and step, the contract of the webhooks, and the affected tests", async () => {
    const flow = (path: string, steps: string): string => `- route:
    id: compared
    from:
      uri: platform-http:${path}
      parameters: {httpMethodRestrict: POST}
      steps: [${steps}]
`;
    const tests = "flowId: compared\ntests:\n  - name: answers\n    when: {webhook: compared}\n    then: [{visited: [gone]}]\n";
    const before = flow("/compared", "{log: {id: gone, message: x}}, {setBody: {id: answer, constant: one}}");
    expect((await server.api("PUT", "/flows/compared", { yaml: before, tests })).status).toBe(201);
    const compared = async (yaml: string) => (await server.api("PUT", "/flows/compared?dryRun=true", { yaml })).json.difference;
    const unchanged = { routes: [], steps: [], elements: [], webhooks: { kept: true, added: [], removed: [], stricter: [] }, tests: [] };
    expect(await compared(before)).toEqual(unchanged);
    expect(await compared(flow("/compared", "{setBody: {id: answer, constant: two}}, {setHeader: {name: a, constant: b}}"))).toEqual({
      ...unchanged,
      steps: [
        { change: "changed", routeId: "compared", id: "answer", name: "setBody", options: [{ name: "constant", before: "one", after: "two" }] },
        { change: "added", routeId: "compared", id: "setHeader1", name: "setHeader", options: [] },
        { change: "removed", routeId: "compared", id: "gone", name: "log", options: [] },
      ],
      tests: [{ name: "answers", line: 3, routes: ["compared"], missingSteps: ["gone"] }],
    });
    const moved = await compared(flow("/elsewhere", "{log: {id: gone, message: x}}, {setBody: {id: answer, constant: one}}"));
    expect(moved.routes).toEqual([
      { change: "changed", id: "compared", options: [{ name: "from.uri", before: "platform-http:/compared", after: "platform-http:/elsewhere" }] },
    ]);
    expect(moved.webhooks).toEqual({ kept: false, added: ["POST /elsewhere"], removed: ["POST /compared"], stricter: [] });
    const first = (await server.api("PUT", "/flows/compared-first?dryRun=true", { yaml: replyFlow("compared-first", "x") })).json.difference;
    expect([first.routes.map(({ change, id }: { change: string; id: string }) => [change, id]), first.webhooks.kept]).toEqual([
      [["added", "compared-first"]],
      true,
    ]);
  });
});

describe("rejections", () => {
  it("yaml is required and must be a string", async () => {
    expect((await server.api("PUT", "/flows/bad", {})).json).toEqual({ error: "yaml is required" });
    for (const yaml of [null, 5, [], {}]) {
      const reply = await server.api("PUT", "/flows/bad", { yaml });
      expect([reply.status, reply.json]).toEqual([400, { error: "yaml must be a string" }]);
    }
  });

  it("params must be an object", async () => {
    for (const params of ["x", 5, [], true]) {
      const reply = await server.putFlow("bad", replyFlow("bad", "x"), params);
      expect([reply.status, reply.json]).toEqual([400, { error: "params must be an object" }]);
    }
  });

  it("too many params are rejected, however they are nested", async () => {
    const flat = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, index]));
    const nested = { group: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, index])) };
    for (const params of [flat, nested]) {
      const reply = await server.putFlow("bad", replyFlow("bad", "x"), params);
      expect([reply.status, reply.json]).toEqual([400, { error: "params must not have more than 10000 names" }]);
    }
  });

  it("ids outside the pattern are 400 and change no file", async () => {
    const before = readdirSync(server.dataDir);
    const ids = [
      "..%2f..%2fetc%2fx",
      "%2e%2e%2fx",
      "a%00",
      "a%0ab",
      "a%0d%0aX:1",
      "%7f",
      "CON",
      "nul",
      "aux.x",
      "COM1",
      "a.",
      "a%20",
      "a:b",
      ".hidden",
      ".env",
      "-rf",
      "~x",
      "a..b",
      "x".repeat(129),
      "x".repeat(5_000),
    ];
    for (const id of ids) {
      for (const method of ["PUT", "DELETE"]) {
        const reply = await server.api(method, `/flows/${id}`, method === "PUT" ? { yaml: replyFlow("x", "x") } : undefined);
        expect([id, method, reply.status]).toEqual([id, method, 400]);
        expect(Object.keys(reply.json)).toEqual(["error"]);
      }
    }
    expect((await server.api("DELETE", "/flows/a%20b")).json).toEqual({ error: "invalid id 'a b': use letters, digits, '.', '_', '-' (max 128)" });
    expect(readdirSync(server.dataDir)).toEqual(before);
  });

  it("an id of 128 characters is accepted", async () => {
    const id = "x".repeat(128);
    expect((await server.putFlow(id, replyFlow("long-id", "x"))).status).toBe(201);
    expect((await server.api("DELETE", `/flows/${id}`)).status).toBe(200);
  });

  it("ids that differ only in case never share a file", async () => {
    await server.putFlow("CaseOne", replyFlow("case-one", "x"));
    const reply = await server.putFlow("caseone", replyFlow("case-two", "x"));
    expect([reply.status, reply.json]).toEqual([409, { error: "flow id 'caseone' differs from flow 'CaseOne' only in case" }]);
  });

  it("an invalid document is rejected with the position and the old version continues", async () => {
    const good = replyFlow("steady", "still here");
    await server.putFlow("steady", good);
    const syntax = await server.putFlow("steady", "- route:\n  id: [x");
    expect(syntax.status).toBe(400);
    expect(syntax.json.error).toMatch(/^invalid YAML at line \d+, column \d+: /);
    const unknown = await server.putFlow("steady", good.replace("setBody", "setBdy"));
    expect(unknown.status).toBe(422);
    expect(unknown.json.error).toMatch(/^line 6: unknown step 'setBdy' in route 'steady'.*setBody/);
    expect((await post("steady")).text).toBe("still here");
    expect((await entry("steady")).hash).toBe(sha256(good));
    expect(readFileSync(join(server.routesDir, "steady.yaml"), "utf8")).toBe(good);
  });

  it("the error lists as many problems as fit, then the number of the others", async () => {
    const steps = Array.from({ length: 40 }, (_, index) => `        - unknownStep${index}: x\n`).join("");
    const reply = await server.putFlow("many-problems", `- route:\n    id: many-problems\n    from:\n      uri: webhook\n      steps:\n${steps}`);
    const [, others] = /^line \d+: unknown step 'unknownStep0'.*; line \d+: .* \(and (\d+) more problems\)$/.exec(reply.json.error) ?? [];
    expect([reply.status, reply.json.error.split("; line ").length + Number(others)]).toEqual([422, 40]);
  });

  it("a document without routes is rejected", async () => {
    for (const yaml of ["", "   ", "# only a comment", "---", "[]"]) {
      const reply = await server.putFlow("empty", yaml);
      expect([yaml, reply.status, reply.json]).toEqual([yaml, 422, { error: "flow defines no routes" }]);
    }
    expect((await server.putFlow("empty", "just text")).status).toBeGreaterThanOrEqual(400);
  });

  it("a claim on a reserved path is rejected and not stored", async () => {
    const reply = await server.putFlow("thief", "- route:\n    id: thief\n    from:\n      uri: platform-http:/_api/flows\n      steps:\n        - log: x\n");
    expect([reply.status, reply.json]).toEqual([
      422,
      { error: "route 'thief' claims reserved path '/_api/flows': paths under /_api belong to the management API" },
    ]);
    expect(readdirSync(server.routesDir)).not.toContain("thief.yaml");
  });

  it("a route id belongs to one flow", async () => {
    await server.putFlow("owner", replyFlow("mine", "first"));
    const reply = await server.putFlow("other", replyFlow("mine", "second"));
    expect([reply.status, reply.json]).toEqual([409, { error: "route id 'mine' is already used by flow 'owner'" }]);
    expect((await post("mine")).text).toBe("first");
  });

  it("an endpoint belongs to one route", async () => {
    await server.putFlow("claim-a", directFlow("claimed", "setBody: {constant: a}"));
    const yaml = directFlow("claimed", "setBody: {constant: b}").replace("id: claimed", "id: claimed-again");
    const reply = await server.putFlow("claim-b", yaml);
    expect(reply.status).toBe(409);
    expect(reply.json.error).toBe("direct:claimed is already served by route 'claimed' of flow 'claim-a'");
  });

  it("a body over the limit is 413", async () => {
    const reply = await server.api("PUT", "/flows/big", { yaml: "#".repeat(11 * 1024 * 1024) });
    expect([reply.status, reply.json]).toEqual([413, { error: "request body exceeds 10485760 bytes" }]);
  });

  it("names of prototype members are inert or rejected", async () => {
    const reply = await server.api("PUT", "/flows/proto", `{"yaml":${JSON.stringify(replyFlow("proto", "x"))},"params":{"__proto__":{"polluted":"yes"}}}`);
    expect([reply.status, reply.json]).toEqual([400, { error: "params must not use the name '__proto__'" }]);
    await server.putFlow("proto", "- route:\n    __proto__: {polluted: yes}\n    from: {uri: webhook, steps: [{log: x}]}\n");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("validate lists every problem with its position and installs nothing", async () => {
    const yaml = "- route:\n    id: many\n    from:\n      uri: webhook\n      steps:\n        - lgo: x\n        - setHeader:\n            constant: y\n";
    const reply = await server.api("POST", "/flows/validate", { yaml });
    expect(reply.status).toBe(200);
    expect(reply.json.valid).toBe(false);
    expect(reply.json.problems.length).toBeGreaterThanOrEqual(2);
    expect(reply.json.problems[0]).toMatchObject({ severity: "error", line: 6, routeId: "many", message: expect.stringContaining("lgo") });
    expect((await server.api("POST", "/flows/validate", { yaml: replyFlow("fine", "x") })).json).toEqual({ valid: true, problems: [] });
    expect(await entry("validate")).toBeUndefined();
  });
});

describe("params", () => {
  const yaml = directFlow("params", "setBody: {constant: '{{shop.name}}/{{n}}/{{flag}}/{{where}}/{{dflt:fallback}}'}");

  it("nested names, numbers, variables and defaults reach the text", async () => {
    const put = await server.putFlow("params", yaml, { shop: { name: "acme" }, n: 3, flag: true, where: { env: "FLOW_ENV" } });
    expect(put.status).toBe(201);
    expect(await result("params")).toBe("acme/3/true/from-env/fallback");
    expect((await entry("params")).paramNames).toEqual(["flag", "n", "shop.name", "where"]);
    expect(statSync(join(server.routesDir, "params.params.json")).mode & 0o777).toBe(0o600);
  });

  it("omitted params are kept, null clears them", async () => {
    await server.putFlow("params", yaml, { shop: { name: "kept" }, n: 1, flag: false, where: "here" });
    const longer = `${yaml}# changed\n`;
    expect((await server.putFlow("params", longer)).status).toBe(200);
    expect(await result("params")).toBe("kept/1/false/here/fallback");
    const cleared = await server.api("PUT", "/flows/params", { yaml, params: null });
    expect([cleared.status, cleared.json.error]).toEqual([422, expect.stringMatching(/no value for parameter 'shop.name'/)]);
  });

  it("changed params alone redeploy the flow", async () => {
    await server.putFlow("params", yaml, { "shop.name": "x", n: 1, flag: false, where: "here" });
    expect((await server.putFlow("params", yaml, { "shop.name": "y", n: 1, flag: false, where: "here" })).json.changed).toBe(true);
    expect(await result("params")).toBe("y/1/false/here/fallback");
  });

  it("secret values are shown nowhere and kept by a masked PUT", async () => {
    const secretYaml = directFlow(
      "secretive",
      "setBody: {constant: 'pw={{pw}} env={{env:MY_SECRET}}'}",
      "log: '${body}'",
      "throwException: {exceptionType: java.lang.IllegalStateException, message: 'bad {{pw}}'}",
    );
    await server.putFlow("secretive", secretYaml, { pw: { value: "S3CR3T-value", secret: true } });
    const trace = await followStream(server, "/trace/stream?body=full");
    await result("secretive");
    await eventually(() => trace.text().includes("run.failed"));
    const traced = await trace.end();
    expect(traced).toContain("pw=*** env=***");
    expect(traced).not.toContain("S3CR3T");
    const shown = await server.api("GET", "/flows/secretive");
    expect(shown.json.params).toEqual({ pw: { value: "***", secret: true } });
    const runs = await server.api("GET", "/runs?routeId=secretive&kind=test");
    expect(runs.json.runs[0].error.message).toBe("bad ***");
    const health = await server.api("GET", "/health");
    await eventually(() => server.logText().includes("pw=*** env=***"));
    for (const text of [(await server.api("GET", "/flows")).text, shown.text.replace(JSON.stringify(secretYaml), ""), runs.text, server.logText()])
      expect(text).not.toContain("S3CR3T");
    expect(health.text).not.toContain("S3CR3T");
    await server.putFlow("secretive", `${secretYaml}# touched\n`, { pw: { value: "***", secret: true } });
    expect(JSON.parse(readFileSync(join(server.routesDir, "secretive.params.json"), "utf8")).params.pw.value).toBe("S3CR3T-value");
  });

  it("passwords in the addresses of a flow are shown nowhere", async () => {
    const uri = "http://u:S3CR3T-a@127.0.0.1:1/x?password=S3CR3T-b&access_token=RAW(S3CR3T-c&d)&apiKey=S3CR3T-e";
    const yaml = `- route:\n    id: addressed\n    from:\n      uri: webhook:?muteException=false\n      steps:\n        - to: {id: far, uri: "${uri}"}\n`;
    const put = await server.putFlow("addressed", yaml);
    expect([put.status, put.json.error]).toEqual([201, undefined]);
    const [trace, logs] = [
      await followStream(server, "/trace/stream?routeId=addressed&body=full"),
      await followStream(server, "/logs/stream?routeId=addressed"),
    ];
    const reply = await post("addressed");
    expect(reply.status).toBe(500);
    await eventually(() => trace.text().includes("run.failed") && logs.text().includes("addressed"));
    const opened = await server.api("POST", "/test/session", { mocks: [{ match: { stepId: "far" }, respond: {} }] });
    await post("addressed");
    const session = await server.api("DELETE", `/test/session/${opened.json.sessionId}`);
    expect([opened.status, session.json.recordedCalls.length]).toEqual([201, 1]);
    const { runs } = (await server.api("GET", "/runs?routeId=addressed")).json as { runs: readonly { id: string }[] };
    const replies = [put, reply, opened, session];
    for (const path of ["/flows", "/health", "/runs?routeId=addressed", "/metrics", "/openapi.json", "/dead-letters", ...runs.map(({ id }) => `/runs/${id}`)])
      replies.push(await server.api("GET", path));
    const wrong = await server.putFlow(
      "misaddressed",
      yaml.replace("addressed", "misaddressed").replace("- to: {id: far", "- to: {id: far, pattern: Sideways"),
    );
    expect(wrong.status).toBe(422);
    for (const text of [...[...replies, wrong].map((apiReply) => apiReply.text), await trace.end(), await logs.end(), server.logText()])
      expect(text).not.toContain("S3CR3T-");
  });

  it("no parameter gives a flow access to the deploy token", async () => {
    for (const name of ["SERVICE_DEPLOY_TOKEN", "service.deploy.token", "env:SERVICE_DEPLOY_TOKEN"]) {
      const reply = await server.putFlow("steal", directFlow("steal", `setBody: {constant: '{{${name}}}'}`));
      expect([name, reply.status]).toEqual([name, 422]);
    }
    const byParam = await server.putFlow("steal", directFlow("steal", "setBody: {constant: '{{x}}'}"), { x: { env: "SERVICE_DEPLOY_TOKEN" } });
    expect(byParam.status).toBe(422);
  });
});

describe("remove", () => {
  it("the routes stop and disappear from health, and the file is deleted", async () => {
    await server.putFlow("leaving", replyFlow("leaving", "x"), { a: 1 });
    const reply = await server.api("DELETE", "/flows/leaving");
    expect([reply.status, reply.json]).toEqual([200, { id: "leaving", deleted: true, routes: ["leaving"], drained: true }]);
    expect((await post("leaving")).status).toBe(404);
    expect((await server.api("GET", "/health")).text).not.toContain("leaving");
    expect(readdirSync(server.routesDir).filter((name) => name.startsWith("leaving"))).toEqual([]);
    const repeated = await server.api("DELETE", "/flows/leaving");
    expect([repeated.status, repeated.json]).toEqual([404, { error: "flow 'leaving' not found" }]);
  });

  it("a timer stops firing", async () => {
    await server.putFlow(
      "ticker",
      "- route:\n    id: ticker\n    from:\n      uri: timer:t?period=20&delay=0\n      steps:\n        - setBody: {constant: x}\n",
    );
    const total = async (): Promise<number> => (await server.api("GET", "/runs?routeId=ticker&limit=1000")).json.total;
    await eventually(async () => (await total()) > 2);
    await server.api("DELETE", "/flows/ticker");
    const stopped = await total();
    const ticker = "- route:\n    id: later\n    from:\n      uri: timer:later?period=20&delay=0\n      steps:\n        - setBody: {constant: x}\n";
    await server.putFlow("later", ticker);
    await eventually(async () => (await server.api("GET", "/runs?routeId=later&limit=1000")).json.total > 5);
    await server.api("DELETE", "/flows/later");
    expect(await total()).toBe(stopped);
  });
});

describe("routes", () => {
  it("stop, start, suspend and resume change a route's status", async () => {
    await server.putFlow("operated", replyFlow("operated", "x"));
    for (const [action, status, code] of [
      ["suspend", "Suspended", 503],
      ["resume", "Started", 200],
      ["stop", "Stopped", 503],
      ["start", "Started", 200],
    ] as const) {
      const reply = await server.api("POST", `/routes/operated/${action}`);
      expect([reply.status, reply.json]).toEqual([200, { id: "operated", flowId: "operated", status }]);
      expect([action, (await post("operated")).status]).toEqual([action, code]);
    }
    expect((await server.api("POST", "/routes/none/stop")).json).toEqual({ error: "route 'none' not found" });
  });
});

describe("the directory", () => {
  it("files added or edited by hand are listed", async () => {
    const yaml = replyFlow("by-hand", "x");
    writeFileSync(join(server.routesDir, "by-hand.yaml"), yaml);
    writeFileSync(join(server.routesDir, "x.txt"), "no flow");
    expect(await entry("by-hand")).toMatchObject({ hash: sha256(yaml), routeCount: 1, status: "Stopped" });
    expect(await entry("x")).toBeUndefined();
    await server.putFlow("edited", replyFlow("edited", "one"));
    const changed = replyFlow("edited", "two");
    writeFileSync(join(server.routesDir, "edited.yaml"), changed);
    const edited = new Date(Date.now() + 5_000);
    utimesSync(join(server.routesDir, "edited.yaml"), new Date(), edited);
    expect(await entry("edited")).toMatchObject({
      hash: sha256(changed),
      lastModified: edited.toISOString(),
      deployedHash: sha256(replyFlow("edited", "one")),
    });
    expect((await post("edited")).text).toBe("one");
    writeFileSync(join(server.routesDir, "edited.yaml"), "- nonsense");
    expect(await entry("edited")).toMatchObject({ hash: sha256("- nonsense"), deployedHash: sha256(replyFlow("edited", "one")) });
    expect((await post("edited")).text).toBe("one");
  });

  it("a listed entry reflects all later changes", async () => {
    const first = replyFlow("followed", "one");
    await server.putFlow("followed", first);
    const path = join(server.routesDir, "followed.yaml");
    const listed = await entry("followed");
    expect(listed).toMatchObject({ hash: sha256(first), status: "Started", hasPolicy: false, error: null });
    expect(await entry("followed")).toEqual(listed);
    await server.api("POST", "/routes/followed/suspend");
    expect(await entry("followed")).toMatchObject({ status: "Suspended", routes: [{ id: "followed", status: "Suspended" }] });
    await server.api("POST", "/routes/followed/resume");
    expect(await entry("followed")).toEqual(listed);
    expect(
      (
        await server.api("PUT", "/auth/followed", {
          authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t-of-shop" }] }],
        })
      ).status,
    ).toBe(201);
    expect(await entry("followed")).toEqual({ ...listed, hasPolicy: true });
    await server.api("DELETE", "/auth/followed");
    expect(await entry("followed")).toEqual(listed);
    const second = replyFlow("followed", "two");
    await server.putFlow("followed", second);
    expect(await entry("followed")).toMatchObject({ hash: sha256(second), status: "Started" });
    writeFileSync(path, first);
    utimesSync(path, new Date(), new Date(Date.now() + 5_000));
    expect(await entry("followed")).toMatchObject({ hash: sha256(first), deployedHash: sha256(second) });
    rmSync(path);
    expect(await entry("followed")).toBeUndefined();
    mkdirSync(path);
    expect(await entry("followed")).toBeUndefined();
    rmSync(path, { recursive: true });
    writeFileSync(path, second);
    expect(await entry("followed")).toMatchObject({ hash: sha256(second) });
  });

  it("fifty PUTs at once leave disk, memory and the list consistent", async () => {
    const texts = Array.from({ length: 50 }, (_, index) => replyFlow("crowd", `v${index}`));
    const replies = await Promise.all(texts.map((yaml) => server.putFlow("crowd", yaml)));
    expect(replies.every(({ status }) => status < 300)).toBe(true);
    const onDisk = readFileSync(join(server.routesDir, "crowd.yaml"), "utf8");
    expect(texts).toContain(onDisk);
    const last = replies
      .map(({ json }) => json.lastModified as string)
      .toSorted()
      .at(-1);
    expect(replies.filter(({ json }) => json.lastModified === last).map(({ json }) => json.hash)).toContain(sha256(onDisk));
    expect((await entry("crowd")).hash).toBe(sha256(onDisk));
    expect(replyFlow("crowd", (await post("crowd")).text)).toBe(onDisk);
  });
});

describe("start and restart", () => {
  it("flows are restored, broken ones are listed, leftovers are removed, others start", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const routes = join(dataDir, "routes");
    mkdirSync(routes);
    writeFileSync(join(routes, "good.yml"), replyFlow("good", "served"));
    writeFileSync(join(routes, "camel.camel.yaml"), replyFlow("camel", "humps"));
    writeFileSync(join(routes, "broken.yaml"), "- route: [");
    writeFileSync(join(routes, "binary.yaml"), Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    writeFileSync(join(routes, "empty.yaml"), "");
    writeFileSync(join(routes, "twin.yaml"), replyFlow("good", "clash"));
    writeFileSync(join(routes, "thief.yaml"), "- route:\n    id: thief\n    from:\n      uri: platform-http:/_api/x\n      steps:\n        - log: x\n");
    writeFileSync(join(routes, ".half.yaml.0123456789abcdef.tmp"), "half");
    writeFileSync(join(routes, "gone.params.json"), "{}");
    const other = await startTestServer({ dataDir });
    const flows = (await other.api("GET", "/flows")).json.flows as { id: string; status: string; error: string | null }[];
    expect(Object.fromEntries(flows.map(({ id, status }) => [id, status]))).toEqual({
      good: "Started",
      camel: "Started",
      broken: "Failed",
      binary: "Failed",
      empty: "Failed",
      twin: "Failed",
      thief: "Failed",
    });
    expect(flows.find(({ id }) => id === "binary")?.error).toMatch(/UTF-8/);
    expect(flows.find(({ id }) => id === "twin")?.error).toBe("route id 'good' is already used by flow 'good'");
    expect((await call(other.baseUrl, "POST", "/api/good", "x")).text).toBe("served");
    expect((await call(other.baseUrl, "POST", "/api/camel", "x")).text).toBe("humps");
    expect((await other.api("GET", "/health")).json.status).toBe("DEGRADED");
    expect(readdirSync(routes)).not.toContain(".half.yaml.0123456789abcdef.tmp");
    expect(readdirSync(routes)).not.toContain("gone.params.json");
    expect(readFileSync(join(routes, "broken.yaml"), "utf8")).toBe("- route: [");
    expect((await other.putFlow("good", replyFlow("good", "anew"))).status).toBe(200);
    expect(readFileSync(join(routes, "good.yml"), "utf8")).toBe(replyFlow("good", "anew"));
    expect(readdirSync(routes)).not.toContain("good.yaml");
    await other.putFlow("kept", directFlow("kept", "setBody: {constant: '{{p}}'}"), { p: "param" });
    await other.stop();
    const restarted = await startTestServer({ dataDir });
    const restored = (await restarted.api("GET", "/flows/kept")).json;
    expect([restored.status, restored.params]).toEqual(["Started", { p: "param" }]);
    expect((await call(restarted.baseUrl, "POST", "/api/good", "x")).text).toBe("anew");
    await restarted.end();
  });

  it("after a crash, the old or the new text is used with its own parameters", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const first = await startTestServer({ dataDir });
    const yaml = directFlow("pair", "setBody: {constant: '{{p}}'}");
    await first.putFlow("pair", yaml, { p: "old" });
    await first.putFlow("pair", `${yaml}# new\n`, { p: "new" });
    await first.stop();
    // As if the power failed between the two renames: the parameters are new, the text is still old.
    writeFileSync(join(dataDir, "routes", "pair.yaml"), yaml);
    const second = await startTestServer({ dataDir });
    expect((await second.api("GET", "/flows/pair")).json.params).toEqual({ p: "old" });
    await second.end();
  });

  it("a second process is rejected, a stale lock is ignored", async () => {
    await expect(startTestServer({ dataDir: server.dataDir })).rejects.toThrow(/in use by process \d+/);
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    writeFileSync(join(dataDir, ".lock"), "4194303 1\n");
    const other = await startTestServer({ dataDir });
    expect((await other.api("GET", "/flows")).status).toBe(200);
    await other.stop();
    // The same process id with another start time: the original process has ended.
    writeFileSync(join(dataDir, ".lock"), `${process.pid} 1\n`);
    const third = await startTestServer({ dataDir });
    await third.end();
  });

  it("SERVICE_WATCH: manual changes are deployed, invalid ones leave the running version", async () => {
    const other = await startTestServer({ env: { SERVICE_WATCH: "true" } });
    const path = join(other.routesDir, "watched.yaml");
    const text = async (): Promise<string> => (await call(other.baseUrl, "POST", "/api/watched", "x")).text;
    writeFileSync(path, replyFlow("watched", "one"));
    await eventually(async () => (await text()) === "one");
    writeFileSync(path, replyFlow("watched", "two"));
    await eventually(async () => (await text()) === "two");
    writeFileSync(path, "- nonsense");
    await eventually(async () => (await other.api("GET", "/flows")).json.flows[0].error !== null);
    expect(await text()).toBe("two");
    await other.end();
  });

  it.skipIf(process.getuid?.() === 0)("a change that cannot be written is 500 and has no effect (needs a user other than root)", async () => {
    const other = await startTestServer();
    await other.putFlow("fixed", replyFlow("fixed", "one"));
    chmodSync(other.routesDir, 0o555);
    const reply = await other.putFlow("fixed", replyFlow("fixed", "two"));
    expect([reply.status, reply.json]).toEqual([500, { error: "cannot change 'fixed.yaml': permission denied in the data directory" }]);
    expect((await call(other.baseUrl, "POST", "/api/fixed", "x")).text).toBe("one");
    chmodSync(other.routesDir, 0o755);
    await other.end();
  });
});

describe("replacing under load", () => {
  it("redeploys fail no request, and each reply is from the old or the new version", async () => {
    await server.putFlow("busy", replyFlow("busy", "v0"));
    let stop = false;
    let requests = 0;
    const bad: string[] = [];
    const clients = Array.from({ length: 2 }, async () => {
      while (!stop) {
        const reply = await post("busy");
        requests++;
        if (reply.status !== 200 || !/^v\d+$/.test(reply.text)) bad.push(`${reply.status} ${reply.text}`);
      }
    });
    for (let version = 1; version <= 8; version++) {
      await server.putFlow("busy", replyFlow("busy", `v${version}`));
      expect((await post("busy")).text).toBe(`v${version}`);
    }
    stop = true;
    await Promise.all(clients);
    expect(bad).toEqual([]);
    expect(requests).toBeGreaterThan(8);
  });

  it("a run in flight finishes with its own version, PUT does not wait for it", async () => {
    let respond: (() => void) | undefined;
    const partner = await stubPartner((_call, response) => (respond = () => void response.end()));
    const slow = (text: string): string =>
      `- route:\n    id: slow\n    from:\n      uri: webhook\n      steps:\n        - to: ${partner.url}\n        - setBody: {constant: ${text}}\n`;
    await server.putFlow("slow", slow("old"));
    const inFlight = post("slow");
    await eventually(() => respond !== undefined);
    await server.putFlow("slow", replyFlow("slow", "new"));
    expect((await post("slow")).text).toBe("new");
    respond?.();
    expect((await inFlight).text).toBe("old");
    await partner.close();
  });
});

describe("shutdown", () => {
  it("accepted requests get their responses; health reports draining immediately and PUT is 503", async () => {
    const other = await startTestServer({ env: { SERVICE_DRAIN_MS: "30s" } });
    let respond: (() => void) | undefined;
    const partner = await stubPartner((_call, response) => (respond = () => void response.end()));
    await other.putFlow(
      "slow",
      `- route:\n    id: slow\n    from:\n      uri: webhook\n      steps:\n        - to: ${partner.url}\n        - setBody: {constant: done}\n`,
    );
    const inFlight = call(other.baseUrl, "POST", "/api/slow", "x");
    await eventually(() => respond !== undefined);
    const stopping = other.stop();
    const health = await other.api("GET", "/health");
    const put = await other.putFlow("late", replyFlow("late", "x"));
    expect(health.json.status).toBe("DRAINING");
    expect((await call(other.baseUrl, "GET", "/_api/health?probe=ready")).status).toBe(503);
    expect([put.status, put.json]).toEqual([503, { error: "the runtime is shutting down" }]);
    respond?.();
    expect((await inFlight).text).toBe("done");
    await partner.close();
    expect(await stopping).toEqual({ drained: true, abandoned: [] });
    await other.end();
  });

  it("a stuck run is abandoned at the timeout and listed", async () => {
    const other = await startTestServer({ env: { SERVICE_DRAIN_MS: "300" } });
    await other.putFlow("stuck", "- route:\n    id: stuck\n    from:\n      uri: webhook\n      steps:\n        - delay: {id: forever, constant: 60000}\n");
    const hanging = call(other.baseUrl, "POST", "/api/stuck", "x").catch(() => undefined);
    await eventually(async () => (await other.api("GET", "/runs?routeId=stuck&status=running")).json.total === 1);
    const report = await other.stop();
    expect(report).toMatchObject({ drained: false, abandoned: [{ routeId: "stuck", stepId: "forever" }] });
    await hanging;
    expect(other.logText()).toContain("Abandoned 1 run of route 'stuck' at step 'forever'");
    await other.end();
  });
});
