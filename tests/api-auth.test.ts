// Authentication of the management API on a real server.
import { readdirSync } from "node:fs";
import { sendRaw } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let unconfigured: StartedServer;

const endpoints: readonly (readonly [string, string])[] = [
  ["GET", "/flows"],
  ["GET", "/flows/a"],
  ["PUT", "/flows/a"],
  ["DELETE", "/flows/a"],
  ["POST", "/flows/validate"],
  ["GET", "/auth"],
  ["GET", "/auth/a"],
  ["PUT", "/auth/a"],
  ["DELETE", "/auth/a"],
  ["POST", "/routes/a/stop"],
  ["GET", "/runs"],
  ["GET", "/runs/run_1"],
  ["GET", "/trace/stream"],
  ["GET", "/logs/stream"],
  ["POST", "/test/session"],
  ["GET", "/test/session/ts_1"],
  ["DELETE", "/test/session/ts_1"],
  ["POST", "/test/invoke"],
  ["GET", "/openapi.json"],
  ["GET", "/nope"],
  ["POST", "/health"],
];

beforeAll(async () => {
  server = await startTestServer();
  unconfigured = await startTestServer({ env: { SERVICE_DEPLOY_TOKEN: "  " } });
  await server.putFlow("canary", replyFlow("canary", "ok"));
});
afterAll(async () => {
  await server.end();
  await unconfigured.end();
});

const body = (method: string): string | undefined =>
  method === "GET" || method === "DELETE" ? undefined : JSON.stringify({ yaml: replyFlow("intruder", "x") });

const raw = async (text: string | Buffer): Promise<string> => (await sendRaw(server.port, text)).text;

const get = (path: string, ...headers: readonly string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((header) => `${header}\r\n`).join("")}Connection: close\r\n\r\n`;

describe("the deploy token", () => {
  const wrong: readonly (readonly [string, string | undefined])[] = [
    ["no header", undefined],
    ["a wrong token", "Bearer nope"],
    ["the first character changed", `Bearer X${token.slice(1)}`],
    ["the last character changed", `Bearer ${token.slice(0, -1)}X`],
    ["one character short", `Bearer ${token.slice(0, -1)}`],
    ["one character long", `Bearer ${token}X`],
    ["an empty token", "Bearer "],
    ["another scheme", `Basic ${token}`],
    ["no scheme", token],
  ];
  for (const [what, authorization] of wrong) {
    it(`${what} is 401 on every endpoint and does nothing`, async () => {
      for (const [method, path] of endpoints) {
        const reply = await call(server.baseUrl, method, `/_api${path}`, body(method), authorization === undefined ? {} : { authorization });
        expect([method, path, reply.status, reply.text]).toEqual([method, path, 401, '{"error":"unauthorized"}']);
      }
      expect(readdirSync(server.routesDir)).toEqual(["canary.yaml"]);
    });
  }

  it("every documented endpoint is protected against missing, wrong and altered tokens", async () => {
    const { paths } = (await server.api("GET", "/openapi.json")).json as { paths: Record<string, Record<string, unknown>> };
    const described = Object.entries(paths)
      .filter(([path]) => path.startsWith("/_api/") && path !== "/_api/health")
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => [method.toUpperCase(), path.replaceAll(/\{[^}]*\}/g, "a")] as const));
    expect(described.length).toBeGreaterThan(30);
    const before = readdirSync(server.dataDir, { recursive: true });
    for (const [method, path] of described) {
      for (const authorization of ["", "Bearer nope", `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`]) {
        const reply = await call(server.baseUrl, method, path, body(method), authorization === "" ? {} : { authorization });
        expect([method, path, reply.status, reply.text]).toEqual([method, path, 401, '{"error":"unauthorized"}']);
      }
      const reply = await call(unconfigured.baseUrl, method, path, body(method), { authorization: `Bearer ${token}` });
      expect([method, path, reply.status, reply.text]).toEqual([method, path, 503, '{"error":"SERVICE_DEPLOY_TOKEN not configured"}']);
    }
    expect(readdirSync(server.dataDir, { recursive: true })).toEqual(before);
  });

  it("without a configured token every endpoint is 503, with or without a header", async () => {
    for (const [method, path] of endpoints) {
      for (const headers of [{}, { authorization: `Bearer ${token}` }, { authorization: "Bearer " }]) {
        const reply = await call(unconfigured.baseUrl, method, `/_api${path}`, body(method), headers as Record<string, string>);
        expect([method, path, reply.status, reply.text]).toEqual([method, path, 503, '{"error":"SERVICE_DEPLOY_TOKEN not configured"}']);
      }
    }
  });

  it("health is always public and shows nothing private", async () => {
    for (const [target, headers] of [
      [unconfigured, {}],
      [server, {}],
      [server, { authorization: "Bearer nope" }],
    ] as const) {
      const reply = await call(target.baseUrl, "GET", "/_api/health", undefined, headers as Record<string, string>);
      expect(reply.status).toBe(200);
      expect(reply.json).toMatchObject({ status: "UP", engineVersion: "0.1.0", apiVersion: 1 });
      expect(reply.json.uptime).toBeGreaterThanOrEqual(0);
      expect(reply.text).not.toMatch(/memory|lastError|sluice-|yaml/);
    }
  });

  it("the token is read once; a change of the variable has no effect", async () => {
    const before = process.env["SERVICE_DEPLOY_TOKEN"];
    process.env["SERVICE_DEPLOY_TOKEN"] = "another";
    try {
      expect((await server.api("GET", "/flows")).status).toBe(200);
      expect((await call(server.baseUrl, "GET", "/_api/flows", undefined, { authorization: "Bearer another" })).status).toBe(401);
    } finally {
      if (before === undefined) delete process.env["SERVICE_DEPLOY_TOKEN"];
      else process.env["SERVICE_DEPLOY_TOKEN"] = before;
    }
  });

  it("the scheme is case-insensitive and accepts several spaces", async () => {
    for (const scheme of ["bearer ", "BEARER ", "Bearer  ", "bEaReR    "]) {
      expect((await call(server.baseUrl, "GET", "/_api/flows", undefined, { authorization: scheme + token })).status).toBe(200);
    }
  });

  it("a token is accepted only in the Authorization header", async () => {
    for (const [path, headers] of [
      [`/flows?token=${token}`, {}],
      [`/flows?access_token=${token}`, {}],
      ["/flows", { cookie: `token=${token}` }],
      ["/flows", { "x-api-key": token }],
      ["/flows", { "proxy-authorization": `Bearer ${token}` }],
    ] as const) {
      expect((await call(server.baseUrl, "GET", `/_api${path}`, undefined, headers as Record<string, string>)).status).toBe(401);
    }
  });

  it("two Authorization headers, a header of 15 KB, a header with Latin-1 bytes and an empty header are 401", async () => {
    const good = `Authorization: Bearer ${token}`;
    expect(await raw(get("/_api/flows", good))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(get("/_api/flows", good, "Authorization: Bearer x"))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(get("/_api/flows", good, good))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(get("/_api/flows", `Authorization: Bearer ${"x".repeat(15_000)}`))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(Buffer.from(get("/_api/flows", "Authorization: Bearer \xe9\xff"), "latin1"))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(get("/_api/flows", "Authorization:"))).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("no other spelling of the path bypasses the check", async () => {
    for (const path of ["/_api//flows", "/_API/flows", "/%5fapi/flows", "/_api/../_api/flows", "/_api/flows/", "/x/../_api/flows", "/_api/%2e%2e/flows"]) {
      const reply = await raw(get(path));
      expect([path, reply.slice(9, 12)]).toEqual([path, expect.stringMatching(/^(400|401|404)$/)]);
      expect(reply).not.toContain("canary");
      expect(await raw(get(path, `Authorization: Bearer ${token}`))).not.toContain("canary.yaml");
    }
  });

  it("HEAD behaves like GET: 401 without a token; with the token, the headers without a body", async () => {
    for (const path of ["/flows", "/runs", "/openapi.json", "/trace/stream"]) {
      const refused = await call(server.baseUrl, "HEAD", `/_api${path}`);
      expect([path, refused.status, refused.text]).toEqual([path, 401, ""]);
      const allowed = await server.api("HEAD", path);
      expect([path, allowed.status, allowed.text]).toEqual([path, 200, ""]);
    }
    expect((await call(server.baseUrl, "HEAD", "/_api/health")).status).toBe(200);
  });

  it("OPTIONS from any origin gets no data and no CORS headers", async () => {
    const reply = await call(server.baseUrl, "OPTIONS", "/_api/flows", undefined, { origin: "https://evil.example", "access-control-request-method": "PUT" });
    expect(reply.status).toBe(401);
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("the reply to an authorized call has no additional fields", async () => {
    expect((await server.api("GET", "/runs?routeId=none")).text).toBe('{"runs":[],"total":0}');
  });
});

describe("the format of error replies", () => {
  it("unknown paths are 404, wrong methods 405 with Allow, every body has only the field 'error'", async () => {
    const unknown = await server.api("GET", "/nope");
    expect([unknown.status, Object.keys(unknown.json)]).toEqual([404, ["error"]]);
    const wrongMethod = await server.api("POST", "/flows/a", {});
    expect([wrongMethod.status, wrongMethod.json, wrongMethod.headers.get("allow")]).toEqual([405, { error: "method not allowed" }, "DELETE, GET, HEAD, PUT"]);
    expect((await server.api("PUT", "/flows", {})).status).toBe(405);
    expect((await server.api("PUT", "/flows/", {})).status).toBe(404);
  });

  it("every reply names the API version", async () => {
    for (const path of ["/flows", "/nope", "/health"]) expect((await server.api("GET", path)).headers.get("x-api-version")).toBe("1");
    expect((await call(server.baseUrl, "GET", "/_api/flows")).headers.get("x-api-version")).toBe("1");
  });

  it("bodies that are not JSON objects are 400", async () => {
    for (const [text, error] of [
      ["", "invalid JSON body: the body is empty"],
      ['{"yaml":', "invalid JSON body: the text is incomplete or not JSON"],
      ["{nope}", "invalid JSON body: unexpected character at line 1, column 2"],
      ["- route: {}\n", "invalid JSON body: not a JSON object; to send YAML, set the header 'Content-Type: application/yaml'"],
      ["[]", "the request body must be a JSON object"],
      ["null", "the request body must be a JSON object"],
      ['"x"', "the request body must be a JSON object"],
      ["5", "the request body must be a JSON object"],
      ["true", "the request body must be a JSON object"],
    ]) {
      const reply = await server.api("PUT", "/flows/a", text);
      expect([text, reply.status, reply.json]).toEqual([text, 400, { error }]);
    }
  });

  it("binary types and other character sets are 415, nothing is stored", async () => {
    for (const type of ["multipart/form-data; boundary=x", "application/octet-stream", "image/png", "application/json; charset=utf-16"]) {
      const reply = await server.api("PUT", "/flows/a", '{"yaml":"x"}', { "content-type": type });
      expect([reply.status, reply.json]).toEqual([415, { error: `unsupported content type '${type}'` }]);
    }
    expect((await server.api("GET", "/flows/a")).json).toEqual({ error: "flow 'a' not found" });
  });

  it("no path contains a version", async () => {
    const { paths } = (await server.api("GET", "/openapi.json")).json as { paths: Record<string, unknown> };
    expect(Object.keys(paths).filter((path) => /\/v\d/.test(path))).toEqual([]);
    expect(Object.keys(paths)).toContain("/_api/flows/{id}");
  });
});
