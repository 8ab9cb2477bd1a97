// Calls every operation of the management API and checks the replies against the OpenAPI document that the client's types are generated from:
// nothing missing, no other types, nothing undocumented.
import { createClient, events, type ApiClient, type OperationName } from "@sluice/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { schemaErrors } from "./schema-errors.ts";
import { kameletFiles } from "./kamelet-files.ts";
import { call, directFlow, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let client: ApiClient;
let document: any;
const seen = new Map<string, Set<number>>();
const errors: string[] = [];

/** Replies that are free-form documents: their members are described elsewhere. */
const ownDocuments = ["get /_api/openapi.json", "get /_api/schema", "get /_api/message-mappings/{id}"];

beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" } });
  document = (await server.api("GET", "/openapi.json")).json;
  client = createClient({ baseUrl: server.baseUrl, token, fetch: checkedFetch });
});
afterAll(() => server.end());

const patterns = (): readonly { key: string; matches: RegExp }[] =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ key: `${method} ${path}`, matches: new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) })),
  );

const checkedFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  const expected = `${(init?.method ?? "GET").toLowerCase()} ${new URL(String(input)).pathname}`;
  const exact = patterns().find(({ key }) => key === expected);
  const { key } = exact ?? (patterns().find(({ matches }) => matches.test(expected)) as { key: string });
  const [method, path] = key.split(" ") as [string, string];
  const content = document.paths[path][method].responses[reply.status]?.content;
  const type = reply.headers.get("content-type")?.split(";")[0] as string;
  seen.set(key, (seen.get(key) ?? new Set()).add(reply.status));
  if (content?.[type] === undefined) errors.push(`${key} returns ${reply.status} ${type}, which is not in the document`);
  else if (type.endsWith("json")) {
    const found = schemaErrors(await reply.clone().json(), content[type].schema, { document, isStrict: !ownDocuments.includes(key) });
    errors.push(...found.map((error) => `${key} ${reply.status}: ${error}`));
  }
  return reply;
};

const post = (route: string, body: string) => call(server.baseUrl, "POST", `/api/${route}`, body);
const id = (name: string) => ({ params: { id: name } });

async function runFor(routeId: string): Promise<string> {
  const { runs } = await client.call("GET /runs", { query: { routeId, limit: 1 } });
  return runs[0]?.id ?? "";
}

it("replies about flows, routes and the service match their schemas", async () => {
  const yaml = replyFlow("orders", "one");
  await client.call("PUT /flows/:id", { ...id("shop"), body: { yaml, params: { region: "eu" }, tests: null } });
  await client.call("PUT /flows/:id", { ...id("shop"), body: replyFlow("orders", "two"), contentType: "application/yaml" });
  await client.call("PUT /flows/:id", { ...id("shop"), query: { dryRun: true }, body: { yaml: replyFlow("other", "x") } });
  await client.call("PUT /flows/:id", { ...id("later"), query: { dryRun: true }, body: { yaml: replyFlow("later", "x") } });
  const tests = "flowId: tested\ntests:\n  - name: answers\n    when: {webhook: tested}\n    then:\n      - reply: {body: x}\n";
  await client.call("PUT /flows/:id", { ...id("tested"), query: { tests: "required" }, body: { yaml: replyFlow("tested", "x"), tests } });
  await client.call("GET /flows");
  await client.call("GET /flows/:id", id("tested"));
  await client.text("GET /flows/:id", { ...id("shop"), accept: "application/yaml" });
  await client.call("GET /flows/:id/versions", id("shop"));
  await client.call("GET /flows/:id/versions/:revision", { params: { id: "shop", revision: "1" } });
  await client.text("GET /flows/:id/versions/:revision", { params: { id: "shop", revision: "1" }, accept: "application/yaml" });
  await client.call("POST /flows/:id/rollback", { ...id("shop"), query: { dryRun: true }, body: { revision: 1 } });
  await client.call("POST /flows/:id/rollback", { ...id("shop"), query: { by: "ada", comment: "back" }, body: { revision: 1 } });
  await client.call("POST /flows/validate", { body: { yaml: replyFlow("x", "x").replace("setBody", "setBdy") } });
  await post("orders", "x");
  await client.call("GET /nodes");
  await client.call("GET /health");
  await client.call("GET /health", { query: { probe: "live" } });
  await client.call("GET /health", { query: { probe: "ready" } });
  await createClient({ baseUrl: server.baseUrl, fetch: checkedFetch }).call("GET /health");
  await client.call("GET /metrics");
  for (const action of ["suspend", "resume", "stop", "start"] as const) await client.call(`POST /routes/:id/${action}`, id("orders"));
  await client.call("GET /catalog");
  await client.call("GET /schema");
  await client.call("GET /openapi.json");
  await client.call("DELETE /flows/:id", id("tested"));
  expect(errors).toEqual([]);
});

it("replies about access policies, tables and mappings match their schemas", async () => {
  const policy = {
    authenticate: [
      { type: "apiKey", keys: [{ id: "shop", key: "s3cr3t-key-of-the-shop", roles: ["write"], expiresAt: "2030-01-01T00:00:00Z" }] },
      { type: "basic", users: [{ username: "erp", password: "pass-word-1", roles: ["read"] }] },
      { type: "jwt", issuer: "https://idp.example.com", audience: ["sluice"], jwksUri: "https://idp.example.com/jwks", algorithms: ["RS256"] },
      { type: "hmac", preset: "stripe", secrets: ["whsec-1234567890"], roles: ["hooks"] },
    ],
    rules: [
      { methods: ["GET"], public: true },
      { routes: ["orders"], roles: ["write"] },
    ],
    default: "deny",
    ip: { deny: ["10.0.0.0/8"] },
    rateLimit: { limit: 10, windowSec: 60, by: "ip" },
    cors: { origins: ["https://shop.example.com"], methods: ["POST"], maxAgeSec: 60 },
  };
  for (let count = 0; count < 2; count++) await client.call("PUT /auth/:flowId", { params: { flowId: "shop" }, body: policy });
  await client.call("GET /auth");
  const shown = await client.call("GET /auth/:flowId", { params: { flowId: "shop" } });
  expect(shown.authenticate?.map(({ type }) => type)).toEqual(["apiKey", "basic", "jwt", "hmac"]);
  await client.call("DELETE /auth/:flowId", { params: { flowId: "shop" } });

  for (let count = 0; count < 2; count++) await client.call("PUT /value-mappings/:id", { ...id("uom"), body: "shop,sap\npiece,ST\n", contentType: "text/csv" });
  await client.call("PUT /value-mappings/:id", { ...id("short"), body: { name: "Short", match: "exact", entries: { a: "b" }, default: "c" } });
  await client.call("GET /value-mappings");
  await client.call("GET /value-mappings/:id", id("short"));
  for (const accept of ["text/csv", "application/xml"] as const) await client.text("GET /value-mappings/:id", { ...id("uom"), accept });
  const mapping = { name: "Orders", source: { format: "json" }, target: { format: "json" }, map: [{ to: "no", from: "id", required: true }] };
  for (let count = 0; count < 2; count++) await client.call("PUT /message-mappings/:id", { ...id("orders"), body: mapping });
  await client.call("GET /message-mappings");
  await client.call("GET /message-mappings/:id", id("orders"));
  await client.call("POST /message-mappings/:id/execute", { ...id("orders"), body: { input: { id: "7" } } });
  const failed = await client.call("POST /message-mappings/:id/execute", { ...id("orders"), body: { input: {} } });
  expect(failed.errors.length).toBeGreaterThan(0);
  await client.call("DELETE /message-mappings/:id", id("orders"));
  await client.call("DELETE /value-mappings/:id", id("uom"));
  expect(errors).toEqual([]);
});

it("replies about runs, replays and dead letters match their schemas", async () => {
  const failing = `- errorHandler:\n    deadLetterChannel: sluice:dead-letters\n- route:\n    id: failing\n    from:\n      uri: webhook\n      steps:\n        - throwException: {exceptionType: java.lang.IllegalStateException, message: "no"}\n`;
  await client.call("PUT /flows/:id", { ...id("failing"), body: { yaml: failing } });
  await client.call("PUT /flows/:id", { ...id("slow"), body: { yaml: directFlow("slow", "delay: {constant: 2000}").replace("direct:slow", "webhook") } });
  await client.call("POST /routes/:id/capture", { ...id("orders"), body: { forMs: 60_000 } });
  await client.call("GET /routes/:id/capture", id("orders"));
  await post("orders", '{"a":1}');
  await call(server.baseUrl, "GET", "/api/orders");
  const captured = await client.call("GET /runs/:id", id(await runFor("orders")));
  expect(captured.messages?.length).toBe(1);
  await client.call("POST /runs/:id/replay", { ...id(captured.id), body: { headers: { "X-New": "1" } } });
  await client.call("DELETE /routes/:id/capture", id("orders"));
  await client.call("GET /routes/:id/capture", id("orders"));
  for (let count = 0; count < 4; count++) await post("failing", "x");
  await client.call("GET /runs", { query: { status: "completed", limit: 10 } });
  const failedRun = await runFor("failing");
  await client.call("GET /runs/:id", id(failedRun));
  await client.call("POST /runs/:id/replay", { ...id(failedRun), body: {} });
  const slow = post("slow", "x");
  await eventually(async () => (await runFor("slow")) !== "");
  await client.call("GET /runs/:id", id(await runFor("slow")));
  await slow;
  const stillRunning = await client.call("POST /runs/:id/replay", { ...id(await runFor("slow")), body: { timeoutMs: 20 } });
  expect(stillRunning).toMatchObject({ status: "running", error: { type: "Timeout" } });

  const { deadLetters } = await client.call("GET /dead-letters", { query: { routeId: "failing" } });
  const deadLetter = deadLetters[0]?.id ?? "";
  await client.call("GET /dead-letters/:id", id(deadLetter));
  await client.call("POST /dead-letters/:id/replay", id(deadLetter));
  const job = await client.call("POST /dead-letters/replay", { body: { routeId: "failing" } });
  await client.call("GET /dead-letters/replays/:id", id(job.id ?? ""));
  await client.call("DELETE /dead-letters/replays/:id", id(job.id ?? ""));
  await client.call("DELETE /dead-letters/:id", id(deadLetter));
  await client.call("DELETE /dead-letters", { query: { routeId: "failing" } });
  expect(errors).toEqual([]);
});

it("replies about test sessions match their schemas", async () => {
  await client.call("PUT /flows/:id", { ...id("out"), body: { yaml: directFlow("out", 'to: {id: send, uri: "http://partner.invalid/"}') } });
  const { sessionId } = await client.call("POST /test/session", {
    body: {
      name: "all",
      scope: "session",
      mocks: [
        {
          id: "partner",
          match: { stepId: "send" },
          sequence: [{ respond: { status: 201, body: { ok: true } } }, { throw: { type: "Broken", message: "no" } }],
        },
      ],
      assertions: [{ mockCalled: "partner" }, { mockOrder: ["partner"] }],
    },
  });
  for (let count = 0; count < 2; count++) await client.call("POST /test/invoke", { body: { sessionId, trigger: "direct:out", body: { n: count } } });
  const timedOut = await client.call("POST /test/invoke", { body: { sessionId, routeId: "slow", body: "x", timeoutMs: 20 } });
  expect(timedOut.error?.type).toBe("Timeout");
  const calls = await client.call("GET /test/session/:id", id(sessionId));
  expect(calls.recordedCalls.map(({ outcome }) => outcome)).toEqual(["responded", "threw"]);
  await client.call("DELETE /test/session/:id", id(sessionId));
  expect(errors).toEqual([]);
});

it("the events of the streams match their schemas", async () => {
  const stop = new AbortController();
  const kinds = new Set<string>();
  const checkEvents = async (name: "GET /trace/stream" | "GET /logs/stream", query: object): Promise<void> => {
    const schemas = document.paths[`/_api${name.slice(4)}`].get.responses[200].content["text/event-stream"]["x-events"];
    for await (const event of events(client, name, { query, signal: stop.signal })) {
      kinds.add(event.name === "trace" ? event.data.type : event.name);
      errors.push(...schemaErrors(event.data, schemas[event.name], { document, isStrict: true }, event.name));
    }
  };
  // An id of another process: the streams begin with a gap.
  const following = Promise.all([checkEvents("GET /trace/stream", { body: "preview", since: "0.1" }), checkEvents("GET /logs/stream", { since: "0.1" })]);
  const steps = ['log: "hello"', "throwException: {exceptionType: java.lang.IllegalStateException, message: no}"];
  const retrying = `- onException:\n    exception: [java.lang.IllegalStateException]\n    redeliveryPolicy: {maximumRedeliveries: 1, redeliveryDelay: 1}\n${directFlow("traced", ...steps)}`;
  await eventually(() => kinds.has("gap"));
  await client.call("PUT /flows/:id", { ...id("traced"), body: { yaml: retrying.replace("direct:traced", "webhook") } });
  const expected = ["flow.deployed", "route.started", "run.started", "run.failed", "run.completed", "step.started", "step.completed", "step.failed"];
  await eventually(async () => {
    await post("traced", "x");
    await post("orders", "x");
    return [...expected, "step.retrying", "log", "gap"].every((kind) => kinds.has(kind));
  });
  stop.abort();
  await following;
  expect(errors).toEqual([]);
});

it("replies about connections match their schemas", async () => {
  const body = { type: "sqlite", values: { file: ":memory:" } };
  for (let count = 0; count < 2; count++) await client.call("PUT /connections/:id", { ...id("orders"), body });
  await client.call("GET /connections");
  await client.call("GET /connections/:id", id("orders"));
  expect(await client.call("POST /connections/test", { body })).toMatchObject({ ok: true });
  expect(await client.call("POST /connections/:id/test", id("orders"))).toMatchObject({ ok: true });
  expect((await server.api("POST", "/connections/orders/test")).json).toMatchObject({ ok: true });
  await client.call("POST /connections/:id/browse", { ...id("orders"), body: { what: "tables" } });
  await client.call("DELETE /connections/:id", id("orders"));
  expect(errors).toEqual([]);
});

it("replies about Kamelets match their schemas", async () => {
  const params = { name: "greeter-action" };
  const body = { yaml: kameletFiles["greeter-action.kamelet.yaml"] as string };
  for (let count = 0; count < 2; count++) await client.call("PUT /kamelets/:name", { params, body });
  await client.call("PUT /kamelets/:name", { params, body, query: { dryRun: true } });
  await client.call("GET /kamelets");
  await client.call("GET /kamelets/:name", { params });
  expect(await client.call("POST /kamelets/validate", { query: params, body })).toEqual({ valid: true, problems: [] });
  await client.call("DELETE /kamelets/:name", { params });
  expect(errors).toEqual([]);
});

it("replies about breakpoints match their schemas", async () => {
  const before = errors.length;
  const step = "setBody: {id: only, constant: done}";
  await client.call("PUT /flows/:id", { ...id("held"), body: { yaml: directFlow("held", step).replace("direct:held", "webhook") } });
  for (const end of ["continue", "abort", "remove"] as const) {
    const { sessionId } = await client.call("POST /breakpoints", { body: { flowId: "held", breakpoints: [{ routeId: "held", stepId: "only" }] } });
    const reply = post("held", '{"a":1}');
    await eventually(async () => (await client.call("GET /breakpoints/:id", id(sessionId))).state === "held");
    if (end === "continue") await client.call("POST /breakpoints/:id/continue", { ...id(sessionId), body: { headers: { "X-New": "1" } } });
    else if (end === "abort") await client.call("POST /breakpoints/:id/abort", id(sessionId));
    else {
      await client.call("POST /breakpoints/:id/step", id(sessionId));
      await client.call("DELETE /breakpoints/:id", id(sessionId));
    }
    await reply;
  }
  expect(errors.slice(before)).toEqual([]);
});

it("covers every operation", () => {
  const called = [...seen].filter(([, statuses]) => [...statuses].some((status) => status < 300)).map(([key]) => key);
  const all = patterns()
    .map(({ key }) => key)
    .filter((key) => key.includes(" /_api/"));
  expect(all.filter((key) => !called.includes(key))).toEqual([]);
  expect(all.length).toBeGreaterThan(40);
  const created: readonly OperationName[] = [
    "PUT /flows/:id",
    "PUT /auth/:flowId",
    "PUT /value-mappings/:id",
    "PUT /message-mappings/:id",
    "PUT /kamelets/:name",
  ];
  for (const name of created) {
    const key = `put /_api${name.slice(4).replaceAll(/:(\w+)/g, "{$1}")}`;
    expect([key, [...(seen.get(key) ?? [])].toSorted((a, b) => a - b)]).toEqual([key, [200, 201]]);
  }
});

it("detects a reply that does not match its schema", () => {
  const schema = document.paths["/_api/runs/{id}"].get.responses[200].content["application/json"].schema;
  const found = schemaErrors({ id: 7, steps: [{}], status: "gone", more: 1 }, schema, { document, isStrict: true });
  expect(found).toContain(".id is integer, not string");
  expect(found).toContain(".routeId is missing");
  expect(found).toContain(".steps[0].stepId is missing");
  expect(found).toContain(".more is not in the schema");
  expect(found.some((error) => error.startsWith('.status is "gone"'))).toBe(true);
});
