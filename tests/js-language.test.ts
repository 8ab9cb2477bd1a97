// JavaScript in flows: off unless the operator turns it on, and then in a sandbox that reaches nothing and ends in time.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

const withJs = (id: string, code: string): string => `- route: {id: ${id}, from: {uri: webhook, steps: [{setBody: {js: ${JSON.stringify(code)}}}]}}\n`;

describe("js", () => {
  it("F19: is refused by default, with the switch that turns it on", async () => {
    const server = await startTestServer();
    const refused = await server.putFlow("js", withJs("js", "1 + 1"));
    expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining("SERVICE_ENABLE_JS=true")]);
    await server.end();
  });
});

describe("js, turned on", () => {
  let server: StartedServer;
  beforeAll(async () => void (server = await startTestServer({ env: { SERVICE_ENABLE_JS: "true" } })));
  afterAll(() => server.end());

  it("computes from the message", async () => {
    await server.putFlow("sum", withJs("sum", "JSON.parse(body).lines.reduce((sum, line) => sum + line.quantity * line.price, 0)"));
    expect((await call(server.baseUrl, "POST", "/api/sum", '{"lines":[{"quantity":2,"price":3},{"quantity":1,"price":4}]}')).text).toBe("10");
  });

  it("F13: reaches no process, module, file or environment", async () => {
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
      // Code made from text gives nothing at all, everything else finds nothing of that name.
      expect([code, ["", "undefined"].includes(reply.text)]).toEqual([code, true]);
    }
  });

  it("sees the message as it is when the step asks, also where an earlier part of the step changed it", async () => {
    const headers = "{setHeaders: {headers: [{name: a, js: \"body + '1'\"}, {name: b, js: \"headers.a + '2'\"}]}}";
    const loop = "{loop: {doWhile: true, js: 'body.length < 6', steps: [{setBody: {js: \"body + '+'\"}}]}}";
    const yaml = `- route: {id: stale, from: {uri: webhook, steps: [${headers}, ${loop}, {setBody: {simple: "\${body} \${header.b}"}}]}}\n`;
    expect((await server.putFlow("stale", yaml)).status).toBe(201);
    const replies = await Promise.all(["x", "yy"].map((body) => call(server.baseUrl, "POST", "/api/stale", body)));
    expect(replies.map(({ text }) => text)).toEqual(["x+++++ x12", "yy++++ yy12"]);
  });

  it("G01: an endless loop is stopped at the time limit and fails its run alone", async () => {
    await server.putFlow("endless", withJs("endless", "while (true) {}"));
    expect((await call(server.baseUrl, "POST", "/api/endless", "x")).status).toBeGreaterThanOrEqual(500);
    expect((await server.api("GET", "/runs?routeId=endless")).json.runs[0].error.message).toBe("time limit: the script took longer than 1000 ms");
    expect((await call(server.baseUrl, "POST", "/api/sum", '{"lines":[]}')).text).toBe("0");
  });
});
