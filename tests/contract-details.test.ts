// Points of the HTTP contract that were implemented differently in earlier versions.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const webhook = (id: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

describe("failures inside mappings", () => {
  beforeAll(async () => {
    await server.api("PUT", "/value-mappings/uom", { columns: ["shop", "sap"], rows: [["piece", "ST"]] });
    const lookup = { to: "uom", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } };
    const rules = [lookup, { to: "n", from: "n", type: "integer" }];
    const put = (id: string, format: string, map: unknown) =>
      server.api("PUT", `/message-mappings/${id}`, { source: { format }, target: { format: "json" }, map });
    await put("m", "json", rules);
    await put("x", "xml", [{ to: "a", from: "a", required: true }]);
    for (const id of ["m", "x"]) await server.putFlow(`map-${id}`, webhook(`map-${id}`, `to: message-mapping:${id}`));
    await server.putFlow("look", webhook("look", "to: value-mapping:uom?from=shop&to=sap"));
  });

  it.each([
    ["map-m", '{"unit":"crate","n":1}'],
    ["map-m", '{"unit":"piece","n":"secret-content"}'],
    ["map-x", "<r><b/></r>"],
    ["look", "crate"],
  ])("a missing or rejected value in %s is a failure of the route, without details", async (route, body) => {
    const reply = await call(server.baseUrl, "POST", `/api/${route}`, body);
    expect([reply.status, reply.json]).toEqual([500, { error: `route '${route}' failed (run ${reply.headers.get("x-run-id")})` }]);
  });

  it.each([
    ["map-m", '{"unit":'],
    ["map-x", "<r><a>"],
  ])("a body that %s cannot read is a client error: 400 with the position and no content", async (route, body) => {
    const reply = await call(server.baseUrl, "POST", `/api/${route}`, body);
    expect([reply.status, reply.text]).toEqual([400, expect.stringMatching(/line \d+/)]);
    expect(reply.text).not.toContain("unit");
  });
});

describe("several mocks for one step", () => {
  beforeAll(() => server.putFlow("mocked", webhook("mocked", "to: {id: out, uri: 'direct:nowhere?timeout=200'}")));

  const repliesWith = async (mocks: readonly unknown[], count = 1) => {
    const opened = await server.api("POST", "/test/session", { scope: "session", mocks });
    expect(opened.status, opened.text).toBe(201);
    const seen = [];
    for (let index = 0; index < count; index++)
      seen.push((await call(server.baseUrl, "POST", "/api/mocked", "x", { "x-test-session": opened.json.sessionId })).text);
    await server.api("DELETE", `/test/session/${opened.json.sessionId}`);
    return { seen, opened: opened.json };
  };
  const mock = (match: unknown, body: string, extra = {}) => ({ match, respond: { body }, ...extra });

  it("the first of two mocks for the same step wins, and the other is inactive", async () => {
    const { seen, opened } = await repliesWith([mock({ stepId: "out" }, "first"), mock({ stepId: "out" }, "second")]);
    expect(seen).toEqual(["first"]);
    expect(opened.mocks.map(({ steps }: { steps: unknown }) => steps)).toEqual([["mocked/out"], []]);
  });

  it("the more specific mock wins wherever it is in the list", async () => {
    const list = [mock({ routeId: "mocked" }, "route"), mock({ uri: "direct:*" }, "uri"), mock({ stepId: "o*" }, "step")];
    expect((await repliesWith(list)).seen).toEqual(["step"]);
    expect((await repliesWith(list.slice(0, 2))).seen).toEqual(["uri"]);
  });

  it("after an exhausted mock the step runs, and no other mock replaces it", async () => {
    const { seen } = await repliesWith([mock({ stepId: "out" }, "once", { times: 1 }), mock({ uri: "direct:*" }, "uri")], 2);
    expect(seen[0]).toBe("once");
    expect(seen[1]).toContain("failed");
  });

  it("an unknown step is still rejected, and a uri that matches nothing is a warning", async () => {
    expect((await server.api("POST", "/test/session", { mocks: [mock({ stepId: "typo" }, "x")] })).status).toBe(422);
    const { opened } = await repliesWith([mock({ stepId: "out" }, "x"), mock({ uri: "http://nowhere/*" }, "y")]);
    expect(opened.warnings).toEqual([expect.stringContaining("http://nowhere/*")]);
  });
});

describe("streams", () => {
  it.each(["nonsense", "abc.-1", "%zz", "x".repeat(500)])("Last-Event-ID %j begins a new stream with a gap", async (id) => {
    const abort = new AbortController();
    const reply = await fetch(`${server.baseUrl}/_api/logs/stream`, {
      headers: { authorization: `Bearer ${token}`, "last-event-id": id },
      signal: abort.signal,
    });
    expect(reply.status).toBe(200);
    let text = "";
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) if ((text += Buffer.from(chunk).toString()).includes("event: gap")) break;
    expect(text).toContain('event: gap\ndata: {"dropped":0,"reason":"restart"}');
    abort.abort();
  });
});

describe("ids and paths", () => {
  /** Sends the path unchanged. */
  const raw = (method: string, path: string, headers: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` }): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.baseUrl);
      request({ hostname, port, method, path, headers }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        reply.on("end", () => resolve([reply.statusCode ?? 0, text]));
      })
        .on("error", reject)
        .end(method === "PUT" ? '{"yaml":"x"}' : undefined);
    });

  it.each(["/_api", "/_api/flows", "/_API/x", "%2F_api", "//_api", "/x/../_api", "\\\\_api"])("the route id %j is rejected", async (id) => {
    for (const uri of ["webhook", "direct:x"]) {
      const { status, json } = await server.putFlow("reserved", `- route: {id: "${id}", from: {uri: "${uri}", steps: [{log: x}]}}\n`);
      expect([status, json.error]).toEqual([422, expect.stringMatching(/claims reserved path|cannot be an address/)]);
    }
  });

  it.each(["_api", "api/x", "orders"])("the route id %j is accepted", async (id) => {
    expect((await server.putFlow("unreserved", `- route: {id: "${id}", from: {uri: webhook, steps: [{log: x}]}}\n`)).status).toBeLessThan(300);
    await server.api("DELETE", "/flows/unreserved");
  });

  it("an error shows the decoded id, with control characters replaced", async () => {
    for (const path of ["flows", "value-mappings", "message-mappings", "auth"]) {
      const [status, text] = await raw("PUT", `/_api/${path}/%C3%A9`);
      expect([status, JSON.parse(text).error]).toEqual([400, "invalid id 'é': use letters, digits, '.', '_', '-' (max 128)"]);
    }
    expect((await raw("GET", "/_api/flows/a%00%E2%80%AE"))[1]).toContain("invalid id 'a\uFFFD\uFFFD'");
  });

  it("an id that cannot be decoded is 400, after the token check", async () => {
    for (const id of ["%zz", "%", "%C3", "%c3%28"]) {
      expect(await raw("GET", `/_api/flows/${id}`)).toEqual([400, `{"error":"invalid id '${id}': use letters, digits, '.', '_', '-' (max 128)"}`]);
      expect((await raw("GET", `/_api/flows/${id}`, {}))[0]).toBe(401);
    }
    expect((await raw("GET", "/_api/nothing/%zz"))[0]).toBe(404);
  });
});

describe("duplicate names", () => {
  it("a JSON body with a duplicate name is rejected with its position", async () => {
    const flow = JSON.stringify("- route: {id: twice, from: {uri: webhook, steps: [{log: x}]}}\n");
    const put = (path: string, body: string) => server.api("PUT", path, body);
    expect((await put("/flows/twice", `{"yaml":"x",\n "yaml":${flow}}`)).json).toEqual({
      error: "invalid JSON body: the name 'yaml' is repeated in one object at line 2, column 2",
    });
    expect((await put("/flows/twice", `{"yaml":${flow},"params":{"a":1,"a":2}}`)).status).toBe(400);
    expect((await put("/auth/twice", '{"default":"deny","default":"allow"}')).status).toBe(400);
    expect((await put("/value-mappings/twice", '{"entries":{"a":"1","a":"2"}}')).status).toBe(400);
    expect((await server.api("GET", "/flows/twice")).status).toBe(404);
  });
});

describe("policies and secrets", () => {
  it("a policy that accepts tokens without expiry gives a warning", async () => {
    const jwt = { type: "jwt", jwksUri: "https://idp.example.com/jwks", issuer: "i", audience: "a" };
    expect((await server.api("PUT", "/auth/endless", { authenticate: [{ ...jwt, requireExp: false }] })).json.warnings).toContain(
      "authenticate[0].requireExp is false, so tokens that never expire are accepted",
    );
    expect((await server.api("PUT", "/auth/endless", { authenticate: [jwt] })).json.warnings.join()).not.toContain("expire");
  });

  it("values with secret names are masked in runs and traces, and reach the route unmasked", async () => {
    await server.putFlow("secretive", webhook("secretive", 'setHeader: {name: seen, simple: "${body}"}', 'setBody: {simple: "got ${body}"}'));
    const stream = await fetch(`${server.baseUrl}/_api/trace/stream?routeId=secretive&body=full`, { headers: { authorization: `Bearer ${token}` } });
    const reply = await call(server.baseUrl, "POST", "/api/secretive", '{"user":"ada","password":"hunter2-plain"}');
    expect(reply.text).toContain("hunter2-plain");
    const runs = await server.api("GET", "/runs?routeId=secretive");
    expect(runs.json.runs[0].request.preview).toBe('{"user":"ada","password":"***"}');
    let text = "";
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) if ((text += Buffer.from(chunk).toString()).includes("run.completed")) break;
    expect(text).toContain("ada");
    expect(text).not.toContain("hunter2-plain");
  });
});
