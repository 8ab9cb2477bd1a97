// Secrets of a flow stay masked while a version that uses them can still log: when a new version is rejected, and while an old version drains.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeEach(async () => {
  server = await startTestServer({ env: { SERVICE_WATCH: "true" } });
});
afterEach(() => server.end());

const oldSecret = "OLD-s3cret-value";
const newSecret = "NEW-s3cret-value";
const secret = (value: string) => ({ pw: { value, secret: true } });

/** Logs its secret before and after a delay. */
const logging = (suffix = "") => `- route:
    id: logging
    from:
      uri: webhook
      steps:
        - log: "first {{pw}}"
        - delay: {simple: "\${header.wait}"}
        - log: "last {{pw}} ${suffix}"
        - throwException: {exceptionType: java.lang.Exception, message: "failed with {{pw}}"}
`;
const callFlow = (wait = 0) => call(server.baseUrl, "POST", "/api/logging", "x", { wait: String(wait) });
const failing = `${logging("v2")}- route: {id: broken, from: {uri: "file:/nowhere/at/all?autoCreate=false&startingDirectoryMustExist=true", steps: [{log: x}]}}\n`;

async function allOutput(): Promise<string> {
  return (
    server.logText() + (await server.api("GET", "/runs?limit=1000")).text + (await server.api("GET", "/health")).text + (await server.api("GET", "/flows")).text
  );
}

describe("masking", () => {
  it("a PUT whose start fails leaves the old version's secrets masked", async () => {
    expect((await server.putFlow("logging", logging(), secret(oldSecret))).status).toBe(201);
    const refused = await server.putFlow("logging", failing, secret(newSecret));
    expect(refused.status, refused.text).toBe(422);
    expect(refused.text).toContain("previous version is still running");
    await callFlow();
    await eventually(() => server.logText().includes("last ***"));
    expect(await allOutput()).not.toContain(oldSecret);
  });

  it("a webhook that shows the cause of a failure masks secrets in it", async () => {
    await server.putFlow("logging", logging().replace("uri: webhook", "uri: webhook?muteException=false"), secret(newSecret));
    expect((await callFlow()).text).toContain("failed with ***");
  });

  it("a version that drains keeps its secrets masked until its last run has ended", async () => {
    await server.putFlow("logging", logging(), secret(oldSecret));
    const slow = callFlow(1500);
    await eventually(() => server.logText().includes("first ***"));
    expect((await server.putFlow("logging", logging("v2"), secret(newSecret))).status).toBe(200);
    await slow;
    await callFlow();
    await eventually(() => /last \*\*\* [^v][^]*last \*\*\* v2/.test(server.logText()));
    expect(await allOutput()).not.toContain(oldSecret);
    expect(await allOutput()).not.toContain(newSecret);
  });

  it("masking ends when the old version has drained", async () => {
    await server.putFlow("logging", logging(), secret(oldSecret));
    await server.putFlow("logging", logging("v2"), secret(newSecret));
    await eventually(async () => {
      await server.putFlow("plain", '- route: {id: plain, from: {uri: webhook, steps: [{log: "plain ${body}"}]}}\n');
      await call(server.baseUrl, "POST", "/api/plain", oldSecret);
      return server.logText().includes(`plain ${oldSecret}`);
    });
    await call(server.baseUrl, "POST", "/api/plain", newSecret);
    await call(server.baseUrl, "POST", "/api/plain", "the last line");
    await eventually(() => server.logText().includes("the last line"));
    expect(server.logText()).not.toContain(newSecret);
  });

  it("a deleted flow keeps its secrets masked while it drains", async () => {
    await server.putFlow("logging", logging(), secret(oldSecret));
    const slow = callFlow(1000);
    await eventually(() => server.logText().includes("first ***"));
    await server.api("DELETE", "/flows/logging");
    await slow;
    await eventually(() => server.logText().includes("last ***"));
    expect(server.logText()).not.toContain(oldSecret);
  });

  it("a file changed by hand to one that does not start leaves the running version's secrets masked", async () => {
    await server.putFlow("logging", logging(), secret(oldSecret));
    writeFileSync(join(server.routesDir, "logging.yaml"), failing);
    await eventually(() => server.logText().includes("not reloaded"));
    await callFlow();
    await eventually(() => server.logText().includes("last ***"));
    expect(await allOutput()).not.toContain(oldSecret);
  });

  it.each(["process", "collector"])("a flow named '%s' does not unmask the process's secrets", async (id) => {
    await server.putFlow(id, `- route: {id: ${id}, from: {uri: webhook, steps: [{log: "{{pw}} said \${body}"}]}}\n`, secret(newSecret));
    await call(server.baseUrl, "POST", `/api/${id}`, token);
    await eventually(() => server.logText().includes("*** said"));
    expect(server.logText()).not.toContain(token);
  });

  it("the calls of a test session show neither the secrets of a flow nor passwords of URIs", async () => {
    const yaml = `- route: {id: calling, from: {uri: "direct:calling", steps: [{to: {id: ask, uri: "http://127.0.0.1:1/{{pw}}/orders"}}]}}\n`;
    expect((await server.putFlow("calling", yaml, secret(newSecret))).status).toBe(201);
    const message = `${newSecret} at http://u:pa55word@h`;
    const mocks = [{ id: "ask", match: { stepId: "ask" }, throw: { type: "Timeout", message } }];
    const { sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks })).json;
    await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:calling", body: "x" });
    const { json, text } = await server.api("DELETE", `/test/session/${sessionId}`);
    expect(json.recordedCalls).toMatchObject([{ uri: "http://127.0.0.1:1/***/orders", error: { message: "*** at http://u:***@h" } }]);
    expect(text).not.toContain(newSecret);
  });

  it("errors of the API show no passwords of URIs", async () => {
    const steps = ["http://u:pa55word@h?nosuch=1", "nosuch://u:pa55word@h", "http://u:pa55word@h:port?password=pa55word"];
    for (const [index, uri] of steps.entries()) {
      const { text } = await server.putFlow(`wrong${index}`, `- route: {id: wrong${index}, from: {uri: webhook, steps: [{to: "${uri}"}]}}\n`);
      expect(text).not.toContain("pa55word");
    }
    const missing = await server.api("POST", "/test/session", { mocks: [{ match: { stepId: "http://u:pa55word@h" }, respond: {} }] });
    expect([missing.status, missing.text]).toEqual([422, expect.not.stringContaining("pa55word")]);
  });

  it("the address of a route shows no secrets", async () => {
    const yaml = `- route: {id: hidden, from: {uri: "direct:{{pw}}", steps: [{log: x}]}}
- route: {id: caller, from: {uri: webhook, steps: [{to: "direct:{{pw}}"}]}}\n`;
    const put = await server.putFlow("hidden", yaml, secret(newSecret));
    expect([put.status, put.text]).toEqual([201, expect.not.stringContaining(newSecret)]);
    expect((await call(server.baseUrl, "POST", "/api/caller", "x")).status).toBe(200);
    for (const path of ["/flows/hidden", "/flows", "/runs?limit=10", "/health", "/metrics", "/routes/hidden"])
      expect([path, (await server.api("GET", path)).text]).toEqual([path, expect.not.stringContaining(newSecret)]);
    const [run] = (await server.api("GET", "/runs?limit=1")).json.runs;
    expect((await server.api("GET", `/runs/${run.id ?? run.runId}`)).text).not.toContain(newSecret);
  });
});
