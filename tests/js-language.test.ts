// JavaScript in flows: off by default; when enabled, in a sandbox without access to anything and with a time limit.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

const withJs = (id: string, code: string): string => `- route: {id: ${id}, from: {uri: webhook, steps: [{setBody: {js: ${JSON.stringify(code)}}}]}}\n`;

describe("js", () => {
  it("is rejected by default, with the setting that enables it", async () => {
    const server = await startTestServer();
    const refused = await server.putFlow("js", withJs("js", "1 + 1"));
    expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining("SERVICE_ENABLE_JS=true")]);
    await server.end();
  });
});

describe("js, enabled", () => {
  let server: StartedServer;
  beforeAll(async () => void (server = await startTestServer({ env: { SERVICE_ENABLE_JS: "true" } })));
  afterAll(() => server.end());

  it("computes from the message", async () => {
    await server.putFlow("sum", withJs("sum", "JSON.parse(body).lines.reduce((sum, line) => sum + line.quantity * line.price, 0)"));
    expect((await call(server.baseUrl, "POST", "/api/sum", '{"lines":[{"quantity":2,"price":3},{"quantity":1,"price":4}]}')).text).toBe("10");
  });

  it("cannot access process, modules, files or environment", async () => {
    for (const [index, code] of [
      "typeof process",
      "typeof require",
      "typeof globalThis.process",
      "(function(){}).constructor('return typeof process')()",
      "typeof Deno",
      "typeof fetch",
    ].entries()) {
      await server.putFlow(`reach${index}`, withJs(`reach${index}`, code));
      const reply = await call(server.baseUrl, "POST", `/api/reach${index}`, "x");
      // Code created from text evaluates to nothing; everything else is undefined.
      expect([code, ["", "undefined"].includes(reply.text)]).toEqual([code, true]);
    }
  });

  it("evaluates against the current message, even when an earlier part of the step changed it", async () => {
    const headers = "{setHeaders: {headers: [{name: a, js: \"body + '1'\"}, {name: b, js: \"headers.a + '2'\"}]}}";
    const loop = "{loop: {doWhile: true, js: 'body.length < 6', steps: [{setBody: {js: \"body + '+'\"}}]}}";
    const yaml = `- route: {id: stale, from: {uri: webhook, steps: [${headers}, ${loop}, {setBody: {simple: "\${body} \${header.b}"}}]}}\n`;
    expect((await server.putFlow("stale", yaml)).status).toBe(201);
    const replies = await Promise.all(["x", "yy"].map((body) => call(server.baseUrl, "POST", "/api/stale", body)));
    expect(replies.map(({ text }) => text)).toEqual(["x+++++ x12", "yy++++ yy12"]);
  });

  it("an endless loop is stopped at the time limit and fails only its run", async () => {
    await server.putFlow("endless", withJs("endless", "while (true) {}"));
    expect((await call(server.baseUrl, "POST", "/api/endless", "x")).status).toBeGreaterThanOrEqual(500);
    expect((await server.api("GET", "/runs?routeId=endless")).json.runs[0].error.message).toBe("time limit: the script exceeded 1000 ms");
    expect((await call(server.baseUrl, "POST", "/api/sum", '{"lines":[]}')).text).toBe("0");
  });

  it.each(["const f = () => f() + 1; f()", "(0, eval)('('.repeat(100000))"])("endless recursion fails only its run: %s", async (code) => {
    await server.putFlow("deep", withJs("deep", code));
    await server.putFlow(
      "deep-loop",
      `- route: {id: deep-loop, from: {uri: webhook, steps: [{loop: {doWhile: true, js: ${JSON.stringify(code)}, steps: []}}]}}\n`,
    );
    for (let round = 0; round < 5; round++)
      for (const path of ["/api/deep", "/api/deep-loop", "/api/sum"]) {
        const reply = await call(server.baseUrl, "POST", path, '{"lines":[{"quantity":2,"price":3}]}');
        if (path === "/api/sum") expect(reply.text).toBe("6");
        else expect(reply.status).toBeGreaterThanOrEqual(500);
      }
  });
});
