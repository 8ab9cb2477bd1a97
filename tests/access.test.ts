// Access policies on a real server: the order of checks, brute force, signatures, secrets, and restarts.
import { createHmac, hash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, followStream, replyFlow, startTestServer, token, type ApiReply, type StartedServer } from "./started-server.ts";
import { moment, startLoad } from "./webhook-load.ts";

let server: StartedServer;

/** Replies with the data that the route has about its caller, one line each. */
const mirror = (routeId: string, path = `/${routeId}-own`): string => `- route:
    id: ${routeId}
    from:
      uri: platform-http:${path}
      steps:
        - setBody:
            simple: |-
              principal=\${exchangeProperty.principal}
              auth=\${header.Authorization}
              key=\${header.X-API-Key}
              query=\${header.CamelHttpQuery}
              named=\${header.key}
              signature=\${header.X-Hub-Signature-256}
`;
const parseMirror = ({ text }: ApiReply): Record<string, string> =>
  Object.fromEntries(text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));

const shopKey = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  keys: [
    { id: "shop", key: "s3cr3t-shop", roles: ["orders.write"] },
    { id: "viewer", key: "s3cr3t-view", roles: ["orders.read"] },
  ],
};
const put = (flowId: string, policy: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiReply> =>
  server.api("PUT", `/auth/${flowId}`, policy, headers);
const hook = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = "POST", body = method === "POST" ? "{}" : undefined }: { method?: string; body?: string | undefined } = {},
) => call(server.baseUrl, method, path, body, headers);

/** A call from another address of this machine. */
function hookFrom(
  localAddress: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  port = server.port,
): Promise<{ status: number; text: string; retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path, method: "POST", localAddress, headers, agent: false }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text, retryAfter: incoming.headers["retry-after"] }));
    });
    outgoing.on("error", reject);
    outgoing.end("{}");
  });
}

beforeAll(async () => {
  server = await startTestServer({ env: { GH_SECRET: "github-secret-value", ERP_PW: "erp-password-value" } });
});
afterAll(() => server.end());

describe("the policy as a document", () => {
  it("is installed, read, listed, replaced and removed as the HTTP contract specifies", async () => {
    const policy = {
      authenticate: [
        { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t", roles: ["orders.write"], expiresAt: "2027-01-01T00:00:00Z" }] },
        { type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }], roles: ["hooks"] },
      ],
      rules: [{ routes: ["order-*"], methods: ["POST"], roles: ["orders.write", "hooks"] }],
      default: "deny",
    };
    const first = await put("orders", policy);
    expect([first.status, first.json]).toEqual([
      201,
      {
        flowId: "orders",
        created: true,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        lastModified: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        warnings: ["flow 'orders' is not installed yet"],
      },
    ]);
    const read = await server.api("GET", "/auth/orders");
    expect(read.status).toBe(200);
    expect(read.text).toBe(
      JSON.stringify({
        flowId: "orders",
        lastModified: first.json.lastModified,
        authenticate: [
          {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            keys: [
              { id: "shop", key: "***", fingerprint: hash("sha256", "s3cr3t", "hex").slice(0, 8), roles: ["orders.write"], expiresAt: "2027-01-01T00:00:00Z" },
            ],
          },
          { type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }], roles: ["hooks"] },
        ],
        rules: [{ routes: ["order-*"], methods: ["POST"], roles: ["orders.write", "hooks"] }],
        default: "deny",
      }),
    );
    expect(read.headers.get("etag")).toBe(`"${first.json.hash}"`);

    const same = await put("orders", policy);
    expect([same.status, same.json.created, same.json.hash, same.json.lastModified]).toEqual([200, false, first.json.hash, first.json.lastModified]);
    expect((await server.api("GET", "/auth")).json).toEqual({
      policies: [
        {
          flowId: "orders",
          lastModified: first.json.lastModified,
          hash: first.json.hash,
          schemes: ["apiKey", "hmac"],
          ruleCount: 1,
          default: "deny",
          error: null,
        },
      ],
      total: 1,
    });
    const removed = await server.api("DELETE", "/auth/orders");
    expect([removed.status, removed.json]).toEqual([200, { flowId: "orders", deleted: true }]);
    for (const method of ["GET", "DELETE"]) {
      const missing = await server.api(method, "/auth/orders");
      expect([missing.status, missing.json]).toEqual([404, { error: "access policy for flow 'orders' not found" }]);
    }
  });

  it("an invalid document is rejected with the position of the error, and the old policy stays in force", async () => {
    await server.putFlow("strict", replyFlow("strict", "in"));
    expect((await put("strict", { authenticate: [shopKey] })).status).toBe(201);
    for (const [document, status, error] of [
      [{ authenticate: [{ type: "magic" }] }, 422, "access policy 'strict': authenticate[0].type: must be one of apiKey, basic, jwt, hmac"],
      [{ default: "open" }, 422, "access policy 'strict': default: must be one of deny, allow"],
      [{}, 422, "access policy 'strict': the policy is empty: set authenticate, rules, default, ip, rateLimit or cors"],
      [[], 400, "the request body must be a JSON object"],
      ['{"authenticate":', 400, "invalid JSON body: the text is incomplete or not JSON"],
    ] as const) {
      const reply = await put("strict", document);
      expect([reply.status, reply.json]).toEqual([status, { error }]);
      expect((await hook("/api/strict")).status).toBe(401);
      expect((await hook("/api/strict", { "x-api-key": "s3cr3t-shop" })).text).toBe("in");
    }
    for (const id of ["a%2Fb", "..", "a b", "%00"]) expect((await put(id, { default: "deny" })).status).not.toBeLessThan(400);
  });

  it("read-edit-write keeps masked values, If-Match prevents lost updates", async () => {
    await server.putFlow("edit", replyFlow("edit", "in"));
    await put("edit", {
      authenticate: [
        shopKey,
        { type: "basic", users: [{ username: "u", password: "pass-word" }] },
        { type: "hmac", preset: "github", secrets: ["hook-secret"] },
      ],
    });
    const { json, headers } = await server.api("GET", "/auth/edit");
    const etag = headers.get("etag") as string;
    json.authenticate[0].keys.push({ id: "new", key: "s3cr3t-new" });
    json.authenticate[0].keys.splice(1, 1);
    json.rules = [{ methods: ["POST"] }];
    expect((await put("edit", json, { "if-match": etag })).status).toBe(200);
    expect((await hook("/api/edit", { "x-api-key": "s3cr3t-shop" })).status).toBe(200);
    expect((await hook("/api/edit", { "x-api-key": "s3cr3t-new" })).status).toBe(200);
    expect((await hook("/api/edit", { "x-api-key": "s3cr3t-view" })).status).toBe(401);
    expect((await hook("/api/edit", { authorization: `Basic ${btoa("u:pass-word")}` })).status).toBe(200);
    expect((await hook("/api/edit", { "x-hub-signature-256": `sha256=${createHmac("sha256", "hook-secret").update("{}").digest("hex")}` })).status).toBe(200);
    const outdated = await put("edit", json, { "if-match": etag });
    expect([outdated.status, outdated.json]).toEqual([412, { error: `access policy for flow 'edit' changed since hash ${etag.slice(1, -1)}` }]);
  });

  it("hasPolicy is true only for flows with a policy", async () => {
    await server.putFlow("plain", replyFlow("plain", "open"));
    const { flows } = (await server.api("GET", "/flows")).json as { flows: readonly { id: string; hasPolicy: boolean }[] };
    expect(Object.fromEntries(flows.map(({ id, hasPolicy }) => [id, hasPolicy]))).toMatchObject({ strict: true, plain: false });
  });
});

describe("the order of checks", () => {
  const bodies = { 401: '{"error":"unauthorized"}', 403: '{"error":"forbidden"}', 429: '{"error":"rate limit exceeded"}' };

  it("one flow's policy does not affect another's, and without a policy a webhook is open", async () => {
    await server.putFlow("guarded", replyFlow("guarded", "in"));
    await server.putFlow("neighbor", replyFlow("neighbor", "next door"));
    await put("guarded", { authenticate: [shopKey] });
    expect([(await hook("/api/guarded")).status, (await hook("/api/neighbor")).text]).toEqual([401, "next door"]);
    await server.api("DELETE", "/auth/guarded");
    expect((await hook("/api/guarded")).text).toBe("in");
  });

  it("a missing or bad credential is 401 with a challenge; a missing role is 403; without a matching rule the default applies", async () => {
    await server.putFlow("order", mirror("order-intake") + mirror("other"));
    const rules = [
      { routes: ["order-*"], methods: ["POST"], roles: ["orders.write", "hooks"] },
      { methods: ["GET"], public: true },
    ];
    const policy = { authenticate: [shopKey, { type: "basic", users: [{ username: "erp", password: { env: "ERP_PW" }, roles: ["orders.read"] }] }], rules };
    await put("order", { ...policy, default: "deny" });
    for (const headers of [
      {},
      { "x-api-key": "wrong" },
      { "x-api-key": "" },
      { authorization: `Basic ${btoa("erp:wrong")}` },
      { authorization: "Basic !!" },
      { authorization: "Bearer x" },
    ] as Record<string, string>[]) {
      const reply = await hook("/api/order-intake", headers);
      expect([reply.status, reply.text]).toEqual([401, bodies[401]]);
      expect(reply.headers.get("www-authenticate")).toBe('ApiKey in="header", name="X-API-Key", Basic realm="order", charset="UTF-8"');
    }
    for (const headers of [{ "x-api-key": "s3cr3t-view" }, { authorization: `Basic ${btoa("erp:erp-password-value")}` }] as Record<string, string>[]) {
      const reply = await hook("/api/order-intake", headers);
      expect([reply.status, reply.text]).toEqual([403, bodies[403]]);
    }
    expect((await hook("/api/order-intake", { "x-api-key": "s3cr3t-shop" })).status).toBe(200);
    expect((await hook("/api/other", { "x-api-key": "s3cr3t-shop" })).status).toBe(403);
    for (const [method, status] of [
      ["GET", 200],
      ["HEAD", 200],
      ["PUT", 401],
    ] as const)
      expect([method, (await hook("/api/other", {}, { method })).status]).toEqual([method, status]);
    await put("order", { ...policy, default: "allow" });
    expect([(await hook("/api/other", { "x-api-key": "s3cr3t-shop" })).status, (await hook("/api/other")).status]).toEqual([200, 401]);
  });

  it("the first scheme with a credential decides, valid or not", async () => {
    await server.putFlow("two", replyFlow("two", "in"));
    await put("two", { authenticate: [shopKey, { type: "basic", users: [{ username: "u", password: { env: "ERP_PW" } }] }] });
    const basic = `Basic ${btoa("u:erp-password-value")}`;
    expect((await hook("/api/two", { authorization: basic })).status).toBe(200);
    expect((await hook("/api/two", { authorization: basic, "x-api-key": "wrong" })).status).toBe(401);
    expect((await hook("/api/two", { authorization: "Basic wrong", "x-api-key": "s3cr3t-shop" })).status).toBe(200);
  });

  it("the address is checked before the credential", async () => {
    await server.putFlow("near", replyFlow("near", "in"));
    await put("near", { authenticate: [shopKey], ip: { allow: ["127.0.0.0/8", "2001:db8::/32"], deny: ["127.0.0.9"] } });
    expect((await hookFrom("127.0.0.2", "/api/near", { "x-api-key": "s3cr3t-shop" })).status).toBe(200);
    expect(await hookFrom("127.0.0.9", "/api/near", { "x-api-key": "s3cr3t-shop" })).toMatchObject({ status: 403, text: bodies[403] });
    expect(await hookFrom("127.0.0.9", "/api/near", {})).toMatchObject({ status: 403 });
    await put("near", { ip: { allow: ["10.0.0.0/8"] } });
    expect((await hook("/api/near", { "x-forwarded-for": "10.0.0.1" })).status).toBe(403);
    await put("near", { ip: { deny: ["10.0.0.0/8"] } });
    expect((await hook("/api/near")).text).toBe("in");
  });

  it("rate limits are per principal, address or route, apply after the rules, and keep their counts across unrelated changes", async () => {
    await server.putFlow("rated", replyFlow("rated-a", "in") + replyFlow("rated-b", "in"));
    const rateLimit = { limit: 2, windowSec: 600, by: "principal" };
    await put("rated", { authenticate: [shopKey], rateLimit, rules: [{ routes: ["rated-*"], methods: ["POST"] }] });
    const statuses = async (key: string, count: number, path = "/api/rated-a"): Promise<number[]> => {
      const found: number[] = [];
      for (let index = 0; index < count; index++) found.push((await hook(path, { "x-api-key": key })).status);
      return found;
    };
    expect(await statuses("wrong", 3)).toEqual([401, 401, 401]);
    expect(await statuses("s3cr3t-shop", 3)).toEqual([200, 200, 429]);
    expect(await statuses("s3cr3t-view", 1, "/api/rated-b")).toEqual([200]);
    const limited = await hook("/api/rated-b", { "x-api-key": "s3cr3t-shop" });
    expect([limited.status, limited.text, Number(limited.headers.get("retry-after"))]).toEqual([429, bodies[429], expect.any(Number)]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(250);
    await put("rated", { authenticate: [shopKey], rateLimit, rules: [{ routes: ["rated-*"] }] });
    expect(await statuses("s3cr3t-shop", 1)).toEqual([429]);
    await put("rated", { authenticate: [shopKey], rateLimit: { ...rateLimit, by: "route" } });
    expect([...(await statuses("s3cr3t-shop", 3)), ...(await statuses("s3cr3t-shop", 1, "/api/rated-b"))]).toEqual([200, 200, 429, 200]);
    await put("rated", { rateLimit: { ...rateLimit, by: "ip" } });
    expect((await hookFrom("127.0.0.3", "/api/rated-a", {})).status).toBe(200);
    expect([await statuses("any", 3), (await hookFrom("127.0.0.3", "/api/rated-a", {})).status]).toEqual([[200, 200, 429], 200]);
  });

  it("CORS: preflights get a response, replies and errors have the headers, other origins get none", async () => {
    await server.putFlow("page", replyFlow("page", "in"));
    await put("page", { authenticate: [shopKey], cors: { origins: ["https://shop.example"], exposeHeaders: ["X-Run-Id"], credentials: true } });
    const preflight = await hook(
      "/api/page",
      { origin: "https://shop.example", "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" },
      { method: "OPTIONS" },
    );
    expect(preflight.status).toBe(204);
    expect(
      Object.fromEntries(["origin", "methods", "headers", "credentials"].map((name) => [name, preflight.headers.get(`access-control-allow-${name}`)])),
    ).toEqual({ origin: "https://shop.example", methods: "POST", headers: "x-api-key", credentials: "true" });
    for (const key of ["s3cr3t-shop", "wrong"]) {
      const reply = await hook("/api/page", { origin: "https://shop.example", "x-api-key": key });
      expect([reply.headers.get("access-control-allow-origin"), reply.headers.get("vary"), reply.headers.get("access-control-expose-headers")]).toEqual([
        "https://shop.example",
        "Origin",
        "X-Run-Id",
      ]);
    }
    const origin = "https://shop.example";
    await server.putFlow("page-signed", replyFlow("page-signed", "in"));
    await put("page-signed", { authenticate: [{ type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }] }], cors: { origins: [origin] } });
    for (const [path, headers, body, status] of [
      ["/api/page", { "x-api-key": "s3cr3t-shop", "content-encoding": "gzip" }, "no gzip", 400],
      ["/api/page", { "x-api-key": "s3cr3t-shop", "content-encoding": "lzw" }, "{}", 415],
      ["/api/page", { "x-api-key": "s3cr3t-shop", "x-test-session": "ts_none" }, "{}", 404],
      ["/api/page", { "x-api-key": "s3cr3t-shop" }, "x".repeat(10_485_761), 413],
      ["/api/page-signed", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }, "x".repeat(10_485_761), 413],
    ] as const) {
      const reply = await hook(path, { origin, ...headers }, { body });
      expect([status, reply.headers.get("access-control-allow-origin")]).toEqual([reply.status, origin]);
    }
    const evil = await hook("/api/page", { origin: "https://evil.example", "access-control-request-method": "POST" }, { method: "OPTIONS" });
    expect([evil.headers.get("access-control-allow-origin"), evil.headers.get("access-control-allow-methods")]).toEqual([null, null]);
  });

  it("an unknown route is 404 without credentials, and a request without a credential is rejected before its body is read", async () => {
    expect((await hook("/api/guarded-not", {})).status).toBe(404);
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write("POST /api/strict HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n"));
      socket.on("data", (chunk) => (resolve(chunk.toString("latin1")), socket.destroy()));
      socket.on("error", reject);
    });
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("the request that the route receives", () => {
  it("headers that a policy removes are not visible to a public route either", async () => {
    await server.putFlow("public", mirror("public"));
    await put("public", { authenticate: [shopKey], rules: [{ public: true }] });
    for (const path of ["/api/public", "/public-own", "/api/public?a=b"]) {
      const seen = parseMirror(await hook(path, { authorization: "Bearer left-over", "x-api-key": "s3cr3t-shop", "x-hub-signature-256": "kept" }));
      expect([path, seen["auth"], seen["key"], seen["signature"]]).toEqual([path, "", "", "kept"]);
    }
  });

  it("contains the principal, but no Authorization header, key or signature, on both paths", async () => {
    await server.putFlow("seen", mirror("seen-route", "/shown"));
    await put("seen", {
      authenticate: [
        shopKey,
        { type: "apiKey", in: "query", name: "key", keys: [{ id: "q", key: "s3cr3t-query" }] },
        { type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }], roles: ["hooks"] },
      ],
    });
    for (const path of ["/api/seen-route", "/shown"]) {
      const byKey = await hook(path, { "x-api-key": "s3cr3t-shop", authorization: "Bearer left-over" });
      expect([byKey.status, parseMirror(byKey)]).toMatchObject([200, { auth: "", key: "" }]);
      expect(JSON.parse(parseMirror(byKey)["principal"] as string)).toEqual({ id: "shop", scheme: "apiKey", roles: ["orders.write"], claims: {} });
      const byQuery = await hook(`${path}?a=1&key=s3cr3t-query&b=2`);
      expect([byQuery.status, parseMirror(byQuery)]).toMatchObject([200, { query: "a=1&b=2", named: "" }]);
      const signed = await hook(path, { "X-Hub-Signature-256": `sha256=${createHmac("sha256", "github-secret-value").update("{}").digest("hex")}` });
      expect([signed.status, parseMirror(signed)]).toMatchObject([200, { signature: "" }]);
    }
  });

  it("every spelling of the path is protected", async () => {
    for (const path of [
      "/api/seen-route",
      "/api/seen-route/",
      "//api//seen-route",
      "/api/./seen-route",
      "/x/../api/seen-route",
      "/api/%73een-route",
      "/%61pi/seen-route",
      "/shown",
      "/shown/",
      "//shown",
      "/%73hown",
      "/./shown",
      "/shown?x=1",
      "/api/seen-route?key",
    ]) {
      const status = await new Promise<string>((resolve, reject) => {
        const socket = connect(server.port, "127.0.0.1", () =>
          socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`),
        );
        socket.on("data", (chunk) => resolve(chunk.toString("latin1").slice(9, 12)));
        socket.on("error", reject);
      });
      expect([path, status]).toEqual([path, "401"]);
    }
  });

  it("a policy does not affect direct: routes", async () => {
    await server.putFlow("inner", `- route:\n    id: inner-direct\n    from:\n      uri: direct:inner\n      steps:\n        - setBody: {constant: inside}\n`);
    await put("inner", { default: "deny" });
    const { sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks: [] })).json;
    expect((await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:inner", body: "x" })).json).toMatchObject({
      status: "completed",
      body: "inside",
    });
  });
});

describe("tokens over the network", () => {
  let issuer: Server;
  let published = { keys: [] as unknown[] };
  let uri = "";
  let isUp = true;

  beforeAll(async () => {
    issuer = createServer((_request, response) => void (isUp ? response.end(JSON.stringify(published)) : response.writeHead(500).end()));
    await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
    uri = `http://127.0.0.1:${(issuer.address() as { port: number }).port}/jwks`;
    await server.putFlow("tokens", mirror("tokens"));
  });
  afterAll(() => void issuer.close());

  it("verifies tokens, finds a rotated key immediately, and fails closed while keys cannot be fetched", async () => {
    const make = async (kid: string) => {
      const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
      return {
        jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" },
        token: await new SignJWT({ realm_access: { roles: ["orders.write"] } })
          .setProtectedHeader({ alg: "ES256", kid })
          .setSubject("ada")
          .setIssuer("https://idp.example.com")
          .setAudience("sluice")
          .setExpirationTime("5m")
          .sign(privateKey),
      };
    };
    const [one, two] = [await make("one"), await make("two")];
    const policy = {
      authenticate: [
        { type: "jwt", issuer: "https://idp.example.com", audience: "sluice", jwksUri: uri, algorithms: ["ES256"], rolesClaim: "realm_access.roles" },
      ],
      rules: [{ roles: ["orders.write"] }],
    };
    isUp = false;
    expect((await put("tokens", policy)).status).toBe(201);
    const unavailable = await hook("/api/tokens", { authorization: `Bearer ${one.token}` });
    expect([unavailable.status, Object.keys(unavailable.json), unavailable.headers.get("retry-after")]).toEqual([503, ["error"], "5"]);
    expect((await hook("/api/tokens")).status).toBe(401);

    isUp = true;
    published = { keys: [one.jwk] };
    await put("tokens", { ...policy, default: "deny" });
    for (let index = 0; index < 3; index++) expect((await hook("/api/tokens", { authorization: `Bearer ${one.token}` })).status).toBe(200);
    const seen = parseMirror(await hook("/api/tokens", { authorization: `Bearer ${one.token}` }));
    expect([seen["auth"], JSON.parse(seen["principal"] as string)]).toMatchObject([
      "",
      { id: "ada", scheme: "jwt", roles: ["orders.write"], claims: { aud: "sluice" } },
    ]);
    expect((await hook("/api/tokens", { authorization: `Bearer ${two.token}` })).status).toBe(401);
    published = { keys: [one.jwk, two.jwk] };
    expect((await hook("/api/tokens", { authorization: `Bearer ${two.token}` })).status).toBe(200);
    expect((await hook("/api/tokens", { authorization: `Bearer ${one.token.slice(0, -4)}AAAA` })).status).toBe(401);
  });
});

describe("brute force", () => {
  it("1,000 wrong keys are throttled with 429 and Retry-After for that source and flow; others are served; X-Forwarded-For changes nothing", async () => {
    await server.putFlow("guess", replyFlow("guess", "in"));
    await server.putFlow("guess-2", replyFlow("guess-2", "in"));
    await put("guess", { authenticate: [shopKey] });
    await put("guess-2", { authenticate: [shopKey] });
    const replies = new Map<number, number>();
    for (let index = 0; index < 1_000; index += 20) {
      const batch = await Promise.all(
        Array.from({ length: 20 }, (_, offset) =>
          hookFrom("127.0.0.66", "/api/guess", { "x-api-key": `guess-${index + offset}`, "x-forwarded-for": `10.0.${index % 250}.${offset}` }),
        ),
      );
      for (const { status, text, retryAfter } of batch) {
        replies.set(status, (replies.get(status) ?? 0) + 1);
        if (status === 429) expect([text, Number(retryAfter) >= 1]).toEqual(['{"error":"rate limit exceeded"}', true]);
      }
    }
    expect([...replies.keys()].sort((a, b) => a - b)).toEqual([401, 429]);
    expect(replies.get(401)).toBeGreaterThanOrEqual(50);
    expect(replies.get(401)).toBeLessThan(100);
    const good = { "x-api-key": "s3cr3t-shop" };
    expect((await hookFrom("127.0.0.66", "/api/guess", good)).status).toBe(429);
    expect((await hookFrom("127.0.0.67", "/api/guess", good)).status).toBe(200);
    expect((await hookFrom("127.0.0.67", "/api/guess", { ...good, "x-forwarded-for": "127.0.0.66" })).status).toBe(200);
    expect((await hookFrom("127.0.0.66", "/api/guess-2", good)).status).toBe(200);
  });

  it("wrong signatures are throttled too, but never lock out a sender with a valid signature", async () => {
    await server.putFlow("signed", replyFlow("signed", "in"));
    await put("signed", { authenticate: [{ type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }] }] });
    const statuses = new Set<number>();
    for (let index = 0; index < 80; index++)
      statuses.add((await hookFrom("127.0.0.68", "/api/signed", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` })).status);
    expect([...statuses].sort((a, b) => a - b)).toEqual([401, 429]);
    expect(
      (
        await hookFrom("127.0.0.68", "/api/signed", {
          "x-hub-signature-256": `sha256=${createHmac("sha256", "github-secret-value").update("{}").digest("hex")}`,
        })
      ).status,
    ).toBe(200);
  });

  it("behind a trusted proxy each caller is a separate source", async () => {
    const proxied = await startTestServer({ env: { SERVICE_TRUSTED_PROXIES: "127.0.0.0/24", SERVICE_WRONG_CREDENTIALS: "3" } });
    try {
      await proxied.putFlow("p", replyFlow("p", "in"));
      await proxied.api("PUT", "/auth/p", { authenticate: [shopKey], ip: { deny: ["203.0.113.9"] } });
      const statusFor = (address: string, key: string) =>
        call(proxied.baseUrl, "POST", "/api/p", "{}", { "x-api-key": key, "x-forwarded-for": `1.1.1.1, ${address}` }).then(({ status }) => status);
      expect([
        await statusFor("203.0.113.1", "a"),
        await statusFor("203.0.113.1", "b"),
        await statusFor("203.0.113.1", "c"),
        await statusFor("203.0.113.1", "s3cr3t-shop"),
      ]).toEqual([401, 401, 401, 429]);
      expect([await statusFor("203.0.113.2", "s3cr3t-shop"), await statusFor("203.0.113.9", "s3cr3t-shop")]).toEqual([200, 403]);
      // An IPv6 network counts as one source, not 2^64.
      await proxied.api("PUT", "/auth/p", { authenticate: [shopKey], rateLimit: { limit: 2, windowSec: 600, by: "ip" } });
      const rated = [];
      for (const address of ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:DB8:0:0:ffff::4", "2001:db8:0:1::1"])
        rated.push(await statusFor(address, "s3cr3t-shop"));
      expect(rated).toEqual([200, 200, 429, 429, 200]);
    } finally {
      await proxied.end();
    }
  });
});

describe("signatures", () => {
  it("a signature covers the raw bytes: re-encoded or changed bodies are rejected", async () => {
    const sign = (body: string | Buffer): string => `sha256=${createHmac("sha256", "github-secret-value").update(body).digest("hex")}`;
    const body = '{"a": 1, "ü": "\\u00fc"}';
    expect((await hook("/api/signed", { "x-hub-signature-256": sign(body) }, { body })).status).toBe(200);
    for (const other of [JSON.stringify(JSON.parse(body)), `${body}\n`, body.replace("\\u00fc", "ü"), ""])
      expect((await hook("/api/signed", { "x-hub-signature-256": sign(body) }, { body: other })).status).toBe(401);
    const time = Math.floor(Date.now() / 1000);
    await put("signed", { authenticate: [{ type: "hmac", preset: "stripe", secrets: ["old-secret", "new-secret"] }] });
    const stripe = (at: number, secret = "new-secret"): Record<string, string> => ({
      "stripe-signature": `t=${at},v1=${createHmac("sha256", secret).update(`${at}.{}`).digest("hex")}`,
    });
    expect([
      (await hook("/api/signed", stripe(time))).status,
      (await hook("/api/signed", stripe(time))).status,
      (await hook("/api/signed", stripe(time, "old-secret"))).status,
      (await hook("/api/signed", stripe(time - 400))).status,
    ]).toEqual([200, 401, 200, 401]);
  });

  it("a signature cannot be reused after the policy changes", async () => {
    await server.putFlow("stamped", replyFlow("stamped", "in"));
    const signed = (extra: object = {}) => ({ authenticate: [{ type: "hmac", preset: "stripe", secrets: ["whsec_stamped"] }], default: "allow", ...extra });
    expect((await put("stamped", signed())).status).toBe(201);
    const time = Math.floor(Date.now() / 1000);
    const headers = { "stripe-signature": `t=${time},v1=${createHmac("sha256", "whsec_stamped").update(`${time}.{}`).digest("hex")}` };
    expect((await hook("/api/stamped", headers)).status).toBe(200);
    for (const change of [{ cors: { origins: ["https://a.example"] } }, { rateLimit: { limit: 100, windowSec: 60 } }]) {
      expect((await put("stamped", signed(change))).status).toBe(200);
      expect((await hook("/api/stamped", headers)).status).toBe(401);
    }
  });
});

describe("a policy installed under load", () => {
  it("after the 2xx, every request without a credential fails, and every request with a credential succeeds", async () => {
    await server.putFlow("busy", replyFlow("busy", "in"));
    for (let round = 0; round < 5; round++) {
      const load = startLoad(`${server.baseUrl}/api/busy`, { connections: 10 });
      await eventually(() => load.replies.length > 20);
      expect((await put("busy", { authenticate: [shopKey] })).status).toBe(201);
      const protectedSince = moment();
      for (let index = 0; index < 10; index++) expect((await hook("/api/busy", { "x-api-key": "s3cr3t-shop" })).text).toBe("in");
      await eventually(() => load.replies.filter(({ sentAt }) => sentAt >= protectedSince).length > 20);
      await load.stop();
      expect(load.connectionErrors).toEqual([]);
      const laterReplies = load.replies.filter(({ sentAt }) => sentAt >= protectedSince);
      expect(new Set(laterReplies.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['401 {"error":"unauthorized"}']));
      expect(load.replies.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
      expect((await server.api("DELETE", "/auth/busy")).status).toBe(200);
      expect((await hook("/api/busy")).text).toBe("in");
    }
  });

  it("a new policy applies to a request whose body is still arriving", async () => {
    await server.putFlow("slow-body", replyFlow("slow-body", "in"));
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write("POST /api/slow-body HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{");
      });
      // The interim reply shows that the server has read the head of the request.
      let hasContinued = false;
      socket.on("data", (chunk) => {
        const text = chunk.toString("latin1");
        if (hasContinued) return resolve(text);
        hasContinued = text.startsWith("HTTP/1.1 100 ");
        if (hasContinued) put("slow-body", { authenticate: [shopKey] }).then(() => socket.write("}"), reject);
        else reject(new Error(`no interim reply: ${text}`));
      });
      socket.on("error", reject);
    });
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("a policy and a restart", () => {
  it("a policy can precede its flow, outlives it, and applies from the first request after a restart; a flow with a broken policy file rejects all requests", async () => {
    const firstServer = await startTestServer();
    const { dataDir } = firstServer;
    await firstServer.api("PUT", "/auth/early", {
      authenticate: [
        shopKey,
        { type: "basic", users: [{ username: "u", password: "pass-word" }] },
        { type: "hmac", preset: "github", secrets: ["hook-secret"] },
      ],
    });
    await firstServer.putFlow("early", replyFlow("early", "in"));
    const post = (target: StartedServer, path: string, headers: Record<string, string> = {}) =>
      call(target.baseUrl, "POST", path, "{}", headers).then(({ status }) => status);
    expect(await post(firstServer, "/api/early")).toBe(401);
    await firstServer.api("DELETE", "/flows/early");
    await firstServer.putFlow("early", replyFlow("early", "in"));
    expect(await post(firstServer, "/api/early")).toBe(401);
    await firstServer.putFlow("broken", replyFlow("broken", "in"));
    await firstServer.api("PUT", "/auth/broken", { authenticate: [shopKey] });
    expect(statSync(join(dataDir, "policies")).mode & 0o777).toBe(0o700);
    await firstServer.stop();

    chmodSync(join(dataDir, "policies", "early.json"), 0o644);
    writeFileSync(join(dataDir, "policies", "broken.json"), readFileSync(join(dataDir, "policies", "broken.json"), "utf8").replace('"keys"', '"kees"'));
    const restartedServer = await startTestServer({ dataDir });
    try {
      expect([
        await post(restartedServer, "/api/early"),
        await post(restartedServer, "/api/early", { "x-api-key": "s3cr3t-shop" }),
        await post(restartedServer, "/api/early", { authorization: `Basic ${btoa("u:pass-word")}` }),
      ]).toEqual([401, 200, 200]);
      expect(
        await post(restartedServer, "/api/early", { "x-hub-signature-256": `sha256=${createHmac("sha256", "hook-secret").update("{}").digest("hex")}` }),
      ).toBe(200);
      expect(statSync(join(dataDir, "policies", "early.json")).mode & 0o777).toBe(0o600);
      expect([await post(restartedServer, "/api/broken"), await post(restartedServer, "/api/broken", { "x-api-key": "s3cr3t-shop" })]).toEqual([503, 503]);
      const health = (await restartedServer.api("GET", "/health")).json;
      expect([health.status, health.failedPolicies]).toEqual(["DEGRADED", [{ flowId: "broken", error: expect.any(String) }]]);
      expect((await restartedServer.api("GET", "/auth/broken")).status).toBe(500);
      expect((await restartedServer.api("GET", "/auth")).json.policies[0]).toMatchObject({ flowId: "broken", error: expect.any(String) });
      expect((await restartedServer.api("PUT", "/auth/broken", { authenticate: [shopKey] })).status).toBe(200);
      expect([await post(restartedServer, "/api/broken"), await post(restartedServer, "/api/broken", { "x-api-key": "s3cr3t-shop" })]).toEqual([401, 200]);
      expect((await restartedServer.api("GET", "/health")).json.status).toBe("UP");
    } finally {
      await restartedServer.end();
    }
  });

  it("SERVICE_WEBHOOK_DEFAULT=deny rejects calls to flows without a policy", async () => {
    const closed = await startTestServer({ env: { SERVICE_WEBHOOK_DEFAULT: "deny" } });
    try {
      await closed.putFlow("a", replyFlow("a", "in"));
      const post = () => call(closed.baseUrl, "POST", "/api/a", "{}").then(({ status }) => status);
      expect(await post()).toBe(403);
      await closed.api("PUT", "/auth/a", { default: "allow" });
      expect(await post()).toBe(200);
      await closed.api("DELETE", "/auth/a");
      expect(await post()).toBe(403);
    } finally {
      await closed.end();
    }
  });

  it("an invalid trusted proxy prevents the start", async () => {
    await expect(startTestServer({ env: { SERVICE_TRUSTED_PROXIES: "10.0.0.0/8, nonsense" } })).rejects.toThrow(
      "SERVICE_TRUSTED_PROXIES: 'nonsense' is not an address or network such as 10.0.0.0/8",
    );
  });
});

describe("secrets", () => {
  it("no secret of a policy is in any reply, log, run, trace or file, except the signing secret in its 0600 file", async () => {
    const marked = await startTestServer({ env: { SERVICE_LOG_LEVEL: "trace", MARK_ENV: "MARKER-env-secret" } });
    const markers = [
      "MARKER-api-key",
      "MARKER-query-key",
      "MARKER-password",
      "MARKER-hmac",
      "MARKER-env-secret",
      "MARKER-wrong",
      "MARKER-cookie",
      "MARKER-inbound",
      token,
    ];
    const collected: string[] = [];
    const api = async (method: string, path: string, body?: unknown): Promise<ApiReply> => {
      const reply = await marked.api(method, path, body);
      collected.push(`${method} ${path}: ${reply.text} ${JSON.stringify([...reply.headers])}`);
      return reply;
    };
    try {
      const verbose = `- route:\n    id: verbose\n    from:\n      uri: platform-http:/verbose\n      steps:\n        - to: log:seen?showAll=true\n        - log: "\${headers} \${exchangeProperty.principal}"\n        - throwException: {exceptionType: java.lang.IllegalStateException, message: "failed with \${headers}"}\n`;
      await marked.putFlow("marked", verbose);
      const policy = {
        authenticate: [
          {
            type: "apiKey",
            name: "X-Partner",
            keys: [
              { id: "a", key: "MARKER-api-key" },
              { id: "e", key: { env: "MARK_ENV" } },
            ],
          },
          { type: "apiKey", in: "query", name: "k", keys: [{ id: "q", key: "MARKER-query-key" }] },
          { type: "basic", users: [{ username: "u", password: "MARKER-password" }] },
          { type: "hmac", preset: "github", secrets: ["MARKER-hmac", { env: "MARK_ENV" }] },
        ],
      };
      await api("PUT", "/auth/marked", policy);
      await api("PUT", "/auth/marked", {
        authenticate: [
          { type: "basic", users: [{ username: "MARKER-not-secret", password: ["MARKER-password"] }] },
          { type: "apiKey", keys: "MARKER-api-key" },
        ],
      });
      const [trace, logs] = [await followStream(marked, "/trace/stream?body=full"), await followStream(marked, "/logs/stream?level=TRACE")];
      const post = async (path: string, headers: Record<string, string>): Promise<number> => {
        const reply = await call(marked.baseUrl, "POST", path, "{}", headers);
        collected.push(`POST ${path.replace(/\?.*/, "")}: ${reply.text} ${JSON.stringify([...reply.headers])}`);
        return reply.status;
      };
      expect([
        await post("/verbose", { "x-partner": "MARKER-api-key" }),
        await post("/verbose", { "x-partner": "MARKER-env-secret" }),
        await post("/verbose?k=MARKER-query-key", {}),
        await post("/verbose", { authorization: `Basic ${btoa("u:MARKER-password")}` }),
        await post("/verbose", { "x-hub-signature-256": `sha256=${createHmac("sha256", "MARKER-hmac").update("{}").digest("hex")}` }),
        await post("/verbose", { "x-partner": "MARKER-wrong" }),
        await post("/verbose?k=MARKER-wrong", {}),
      ]).toEqual([500, 500, 500, 500, 500, 401, 401]);
      await marked.putFlow(
        "open",
        `- route:\n    id: open\n    from:\n      uri: webhook\n      steps:\n        - to: log:open?showAll=true\n        - throwException: {exceptionType: java.lang.IllegalStateException, message: no}\n`,
      );
      expect(
        await post("/api/open", {
          cookie: "MARKER-cookie",
          authorization: "Bearer MARKER-inbound",
          "x-api-key": "MARKER-inbound",
          "x-hub-signature-256": "MARKER-inbound",
          "stripe-signature": "MARKER-inbound",
          "x-shopify-hmac-sha256": "MARKER-inbound",
        }),
      ).toBe(500);
      for (const path of ["/auth", "/auth/marked", "/flows", "/flows/marked", "/health", "/runs", "/openapi.json"]) await api("GET", path);
      const { runs } = (await api("GET", "/runs")).json as { runs: readonly { id: string }[] };
      expect(runs).toHaveLength(6);
      for (const { id } of runs) expect((await api("GET", `/runs/${id}`)).status).toBe(200);
      await eventually(() => trace.text().split("run.failed").length > 6);
      collected.push(await trace.end(), await logs.end(), marked.logText());
      await api("DELETE", "/auth/nothing");
      const files = readdirSync(marked.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const policyFile = join(marked.dataDir, "policies", "marked.json");
      expect(statSync(policyFile).mode & 0o777).toBe(0o600);
      const stored = readFileSync(policyFile, "utf8");
      expect(markers.filter((marker) => stored.includes(marker))).toEqual(["MARKER-hmac"]);
      for (const file of files) {
        const path = join(file.parentPath, file.name);
        if (path !== policyFile) collected.push(`${path}: ${readFileSync(path, "latin1")}`);
      }
      expect(marked.logText()).toContain("seen");
      const leaks = collected.flatMap((text) =>
        markers.filter((marker) => text.includes(marker) || text.includes(btoa(`u:${marker}`))).map((marker) => `${marker} in ${text.slice(0, 80)}`),
      );
      expect(leaks).toEqual([]);
    } finally {
      await marked.end();
    }
  });
});
