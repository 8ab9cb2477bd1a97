// Functions registered by an operator; nothing else can be called.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  const module = join(mkdtempSync(join(tmpdir(), "sluice-functions-")), "functions.mjs");
  writeFileSync(
    module,
    `export function stamp(exchange) { exchange.message.headers.set("X-Stamp", "seen"); }
     export const prices = { async total(exchange) { return { total: exchange.message.body.length * 2 }; } };
     export function broken() { throw new Error("the price list is closed"); }`,
  );
  server = await startTestServer({ env: { SERVICE_FUNCTIONS: module } });
});
afterAll(() => server.end());

const put = (id: string, step: string) => server.putFlow(id, `- route: {id: ${id}, from: {uri: webhook, steps: [${step}]}}\n`);

describe("operator functions", () => {
  it("process calls a function and keeps the body", async () => {
    await put("stamped", "{process: {ref: stamp}}");
    const reply = await call(server.baseUrl, "POST", "/api/stamped", "x");
    expect([reply.text, reply.headers.get("x-stamp")]).toEqual(["ok", "seen"]);
  });

  it("bean uses the method's result as the body, even if it is a promise", async () => {
    expect((await put("short", "{bean: prices.total}")).status).toBe(201);
    await put("total", "{bean: {ref: prices, method: total}}");
    expect((await call(server.baseUrl, "POST", "/api/total", "abc")).json).toEqual({ total: 6 });
  });

  it("a function that throws fails the run and is recorded in the history", async () => {
    await put("broken", "{bean: {ref: broken}}");
    expect((await call(server.baseUrl, "POST", "/api/broken", "x")).status).toBe(500);
    expect((await server.api("GET", "/runs?routeId=broken")).json.runs[0].error.message).toBe("the price list is closed");
  });

  it("unregistered functions cannot be called by any name", async () => {
    for (const name of ["nosuch", "process", "globalThis", "constructor", "prices.constructor", "java.lang.Runtime"]) {
      const refused = await put("refused", `{bean: {ref: "${name}"}}`);
      expect([name, refused.status]).toEqual([name, 422]);
      expect(refused.json.error).toContain(`unknown bean '${name}'`);
    }
    expect((await put("refused", "{bean: {beanType: com.acme.Prices}}")).json.error).toContain("unknown bean 'com.acme.Prices'");
  });
});
