// rest paths with several names in a segment, from the caller's view.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const target = (name: string): string => `- from: {uri: "direct:${name}", steps: [{setBody: {simple: "${name} \${header.a}|\${header.b}|\${header.id}"}}]}`;

const flow = `
- rest:
    path: /files
    get:
      - {path: "/{a}.{b}", to: {uri: "direct:pair", id: answer}}
      - {path: "/{id}", to: "direct:whole"}
      - {path: "/v{a}-{b}.json", to: "direct:version"}
      - {path: "/fixed.txt", to: "direct:fixed"}
      - {path: "/{a}.{b}/below/{id}", to: "direct:below"}
${["pair", "whole", "version", "fixed", "below"].map(target).join("\n")}
`;

describe("names and text in one segment of a path", () => {
  it("match the most literal text first", async () => {
    expect((await server.putFlow("files", flow)).status).toBe(201);
    const get = async (path: string): Promise<string> => (await call(server.baseUrl, "GET", path)).text;
    expect(await get("/files/report.pdf")).toBe("pair report|pdf|");
    expect(await get("/files/a.tar.gz")).toBe("pair a|tar.gz|");
    expect(await get("/files/v1-2.json")).toBe("version 1|2|");
    expect(await get("/files/fixed.txt")).toBe("fixed ||");
    expect(await get("/files/plain")).toBe("whole ||plain");
    expect(await get("/files/.hidden")).toBe("whole ||.hidden");
    expect(await get("/files/x.y/below/7")).toBe("below x|y|7");
    expect((await call(server.baseUrl, "POST", "/files/x.y")).status).toBe(405);
    expect((await call(server.baseUrl, "GET", "/files/plain/below/7")).status).toBe(404);
  });

  it("are removed with their flow", async () => {
    expect((await server.api("DELETE", "/flows/files")).status).toBeLessThan(300);
    expect((await call(server.baseUrl, "GET", "/files/report.pdf")).status).toBe(404);
  });

  it.each(["/{a}{b}", "/{a", "/a}b", "/{}.x", "/{a}*"])("%s is rejected", async (path) => {
    const reply = await server.putFlow("wrong", `- rest: {path: /w, get: [{path: "${path}", to: "direct:w"}]}\n${target("w")}`);
    expect([400, 422]).toContain(reply.status);
  });

  it("warns about options that only describe the API", async () => {
    const reply = await server.putFlow(
      "described",
      `- rest: {path: /d, securityDefinitions: {apiKey: {key: k, name: X-Key, inHeader: true}}, get: [{path: /x, to: "direct:d"}]}\n${target("d")}`,
    );
    expect(reply.status).toBe(201);
    expect(JSON.stringify(reply.json)).toContain("security schemes only describe the API");
  });
});

describe("rest: as an endpoint", () => {
  it("serves one method at one path, with parts of the path as headers", async () => {
    const server = await startTestServer();
    try {
      const flow = `- route:
    id: read-order
    from:
      uri: rest:get:shop/orders/{id}
      steps:
        - setBody: {simple: "order \${header.id}"}
- route:
    id: write-order
    from:
      uri: "rest:post:/shop:/orders"
      parameters: {consumes: application/json}
      steps:
        - setBody: {simple: "took \${body[id]}"}
`;
      expect((await server.putFlow("shop", flow)).status).toBe(201);
      expect((await call(server.baseUrl, "GET", "/shop/orders/7")).text).toBe("order 7");
      expect((await call(server.baseUrl, "POST", "/shop/orders/7", "x")).status).toBe(405);
      expect((await call(server.baseUrl, "POST", "/shop/orders", '{"id":8}', { "content-type": "application/json" })).text).toBe("took 8");
      expect((await call(server.baseUrl, "POST", "/shop/orders", "x", { "content-type": "text/plain" })).status).toBe(415);
      const wrong = await server.putFlow("wrong", flow.replace("rest:get:", "rest:fetch:").replaceAll("-order", "-other"));
      expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("'fetch' is not a supported HTTP method")]);
    } finally {
      await server.end();
    }
  });
});
