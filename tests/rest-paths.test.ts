// rest paths with several names in a segment, from the caller's point of view.
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

  it("uses the REST configuration of its document, as in Camel", async () => {
    const server = await startTestServer();
    try {
      const flow = `- restConfiguration: {contextPath: /shop, enableCORS: "true", bindingMode: json}
- route: {id: read, from: {uri: "rest:get:orders/{id}?produces=text/plain", steps: [{setBody: {simple: "order \${header.id}"}}]}}
- route: {id: write, from: {uri: rest, parameters: {method: post, path: orders}, steps: [{setBody: {simple: "took \${body[id]}"}}]}}
- route: {id: other, from: {uri: "platform-http:/other", steps: [{setBody: {constant: other}}]}}
`;
      const put = await server.putFlow("shop", flow);
      expect([put.status, put.text]).toEqual([201, expect.any(String)]);
      const read = await call(server.baseUrl, "GET", "/shop/orders/7");
      expect([read.text, read.headers.get("access-control-allow-origin"), read.headers.get("content-type")]).toEqual(["order 7", "*", "text/plain"]);
      expect((await call(server.baseUrl, "GET", "/orders/7")).status).toBe(404);
      expect((await call(server.baseUrl, "POST", "/shop/orders", "{", { "content-type": "application/json" })).status).toBe(400);
      expect((await call(server.baseUrl, "GET", "/other")).text).toBe("other");
    } finally {
      await server.end();
    }
  });

  it("as a destination calls an operation of another service", async () => {
    const server = await startTestServer();
    try {
      const host = server.baseUrl.replace("http://", "");
      const flow = `- route: {id: read, from: {uri: "rest:get:api-v1/orders/{id}", steps: [{setBody: {simple: "\${header.id} \${header.limit} \${header.after} \${header.accept}"}}]}}
- route: {id: write, from: {uri: "rest:put:api-v1/orders/{id}", steps: [{setBody: {simple: "\${header.id} \${header.Content-Type} \${body}"}}]}}
- route: {id: call-read, from: {uri: webhook, steps: [{to: {uri: "rest:get:orders:/{id}", parameters: {host: "${host}/api-v1", queryParameters: "limit=10&after={after?}", consumes: text/plain}}}]}}
- route: {id: call-write, from: {uri: webhook, steps: [{setVariable: {name: id, constant: 9}}, {removeHeaders: {pattern: "*"}}, {to: "rest:put:api-v1/orders/{id}?host=${server.baseUrl}&produces=text/csv"}]}}
- route: {id: list, from: {uri: "rest:get:api-v1/orders", steps: [{setBody: {constant: all orders}}]}}
- route: {id: call-lone, from: {uri: webhook, steps: [{setVariable: {name: id, jsonpath: $.id}}, {to: "rest:get:api-v1/orders/{id}?host=${host}"}]}}
- route: {id: call-none, from: {uri: webhook, steps: [{to: "rest:get:api-v1/orders/{absent}?host=${host}"}]}}
`;
      const put = await server.putFlow("client", flow);
      expect([put.status, put.text]).toEqual([201, expect.any(String)]);
      const read = (headers: Readonly<Record<string, string>>) => call(server.baseUrl, "POST", "/api/call-read", "x", headers);
      expect((await read({ id: "a b?x=1" })).text).toBe("a b?x=1 10  text/plain");
      expect((await read({ id: "7", after: "6&limit=99" })).text).toBe("7 10 6&limit=99 text/plain");
      // A value cannot leave its part of the path, and an empty value would call the whole collection.
      for (const id of ["..", ".", ""]) expect((await read({ id })).status, id).toBe(500);
      expect((await call(server.baseUrl, "POST", "/api/call-write", "a;b")).text).toBe("9 text/csv a;b");
      // Half of a surrogate pair has no encoding.
      const lone = await call(server.baseUrl, "POST", "/api/call-lone", '{"id":"\\ud800"}', { "content-type": "application/json" });
      expect([lone.status, lone.text]).toEqual([200, expect.stringMatching(/^\uFFFD /)]);
      const none = await call(server.baseUrl, "POST", "/api/call-none", "x");
      expect([none.status, (await server.api("GET", "/runs?status=failed")).text]).toEqual([
        500,
        expect.stringContaining("no header or variable 'absent' for the path"),
      ]);
      const noHost = await server.putFlow("no-host", `- route: {id: no-host, from: {uri: webhook, steps: [{to: "rest:get:orders"}]}}`);
      expect([noHost.status, noHost.text]).toEqual([422, expect.stringContaining("needs the option 'host'")]);
      const ftp = await server.putFlow("no-host", `- route: {id: no-host, from: {uri: webhook, steps: [{to: "rest:get:orders?host=ftp://me:s3cret@files"}]}}`);
      expect([ftp.status, ftp.text]).toEqual([422, expect.stringContaining("'ftp://files' is not the address of an HTTP server")]);
    } finally {
      await server.end();
    }
  });
});
