// Every error reply of the API has one form: `{"error": "<one sentence>"}`. Calls each documented endpoint with every kind of invalid
// input, then breaks the environment.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let operations: readonly Operation[];
/** All replies, searched for the token in the last test. */
const seen: string[] = [];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: { readonly type: string; readonly enum?: readonly string[] } }[];
  readonly body: { readonly properties?: Readonly<Record<string, { readonly type?: string }>>; readonly required?: readonly string[] } | undefined;
  readonly isBodyRequired: boolean;
  readonly types: readonly string[];
}

beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_LOG_LEVEL: "trace", SERVICE_MAX_BODY: "64k" } });
  await server.putFlow("a", replyFlow("a", "x"));
  await server.putFlow("logs", '- route: {id: logs, from: {uri: webhook, steps: [{log: "${body}"}]}}');
  await server.api("PUT", "/value-mappings/a", { entries: { x: "y" } });
  await server.api("PUT", "/message-mappings/a", { source: { format: "json" }, target: { format: "json" }, map: [{ to: "x", value: 1 }] });
  const document = (await server.api("GET", "/openapi.json")).json as { paths: Record<string, Record<string, any>> };
  operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/_api/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content["application/json"]?.schema,
        isBodyRequired: operation.requestBody?.required === true,
        types: Object.keys(operation.requestBody?.content ?? {}),
      })),
    );
});
afterAll(() => server.end());

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends bytes that fetch would not. */
function send(method: string, path: string, body?: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.baseUrl}${path}`,
      { method, headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }), ...headers } },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (chunk) => (text += chunk));
        reply.on("end", () => resolve({ status: reply.statusCode as number, headers: reply.headers, text }));
        reply.on("error", reject);
        // An event stream never ends.
        if (reply.headers["content-type"]?.startsWith("text/event-stream") === true) outgoing.destroy();
      },
    );
    outgoing.on("error", (error) => ((error as NodeJS.ErrnoException).code === "ECONNRESET" ? resolve({ status: 0, headers: {}, text: "" }) : reject(error)));
    outgoing.end(body);
  });
}

const leak = /\n|\bat [^ ]+ \(|node:[a-z_]+|\.[cm]?[jt]s\b|node_modules|\/(?:tmp|home|root|usr|var|etc|proc)\/|@sluice|Error:/;

/** The body must have one member with one sentence, and must not show internals. */
function expectErrorReply(what: string, { status, text, headers }: Reply, expected: readonly number[]): void {
  seen.push(text, JSON.stringify(headers));
  expect([what, expected.includes(status) ? "refused" : `${status} ${text.slice(0, 200)}`]).toEqual([what, "refused"]);
  expect([what, headers["content-type"]]).toEqual([what, expect.stringMatching(/^application\/json\b/)]);
  expect([what, headers["x-api-version"]]).toEqual([what, "1"]);
  expect([what, headers["x-error-code"]]).toEqual([what, expect.stringMatching(/^[a-z]+(-[a-z]+)*$/)]);
  const body = JSON.parse(text) as Record<string, unknown>;
  expect([what, Object.keys(body), typeof body["error"]]).toEqual([what, ["error"], "string"]);
  const error = body["error"] as string;
  expect([what, error.length > 0 && error.length <= 500]).toEqual([what, true]);
  expect([what, leak.exec(error)?.[0]]).toEqual([what, undefined]);
}

/** The path with its parameters filled in, by default with existing ids. */
const pathOf = ({ path }: Operation, id = "a"): string => path.replaceAll(/\{[^}]*\}/g, encodeURIComponent(id));
const validBody = ({ body }: Operation): string | undefined =>
  body === undefined ? undefined : JSON.stringify(Object.fromEntries((body.required ?? []).map((name) => [name, sample(body.properties?.[name]?.type)])));
const sample = (type: string | undefined): unknown => (type === "integer" || type === "number" ? 1 : type === "object" ? {} : type === "array" ? [] : "a");
const wrongFor = (type: string | undefined): unknown => (type === "string" ? 5 : type === undefined ? undefined : "text");
const forEachOperation = async (work: (operation: Operation, name: string) => Promise<void>): Promise<void> => {
  for (const operation of operations) await work(operation, `${operation.method} ${operation.path}`);
};

describe("invalid calls to every endpoint", () => {
  it("covers all endpoints", () => expect(operations.length).toBeGreaterThan(40));

  it("without or with a wrong token", async () => {
    await forEachOperation(async (operation, name) => {
      if (operation.path === "/_api/health") return;
      for (const authorization of ["", "Bearer wrong", `Basic ${token}`])
        expectErrorReply(name, await send(operation.method, pathOf(operation), validBody(operation), { authorization }), [401]);
    });
  });

  it("with an unsupported method", async () => {
    const methods = new Map<string, Set<string>>();
    for (const { method, path } of operations) methods.set(path, (methods.get(path) ?? new Set()).add(method));
    for (const operation of operations)
      for (const method of ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"].filter((candidate) => methods.get(operation.path)?.has(candidate) !== true)) {
        // A fixed path may also match the id parameter of another.
        const reply = await send(method, pathOf(operation), "{}");
        if (reply.status === 405) expect(reply.headers["allow"]).toEqual(expect.stringContaining(operation.method));
        expectErrorReply(`${method} ${operation.path}`, reply, [400, 404, 405, 422]);
      }
  });

  it("on unknown paths", async () => {
    for (const path of ["/_api", "/_api/", "/_api/nope", "/_api/flows/", "/_api/flows/a/b/c", "/_api/flows/a/", "/_api//flows"])
      expectErrorReply(path, await send("GET", path), [400, 404]);
  });

  it("with invalid ids", async () => {
    await forEachOperation(async (operation, name) => {
      if (!operation.path.includes("{")) return;
      for (const id of ["no such thing", "..", "../../up/and/away", "ü", "\u0000", "x".repeat(129), "%", "a/b", "nope"])
        expectErrorReply(`${name} with '${id.slice(0, 20)}'`, await send(operation.method, pathOf(operation, id), validBody(operation)), [400, 404, 422]);
    });
  });

  it("with invalid and duplicate query parameters", async () => {
    const wrong: Readonly<Record<string, readonly string[]>> = { integer: ["x", "-1", "1.5", ""], number: ["x", "-1"], boolean: ["maybe"] };
    await forEachOperation(async (operation, name) => {
      for (const { name: parameter, schema } of operation.parameters.filter(({ in: place }) => place === "query")) {
        const values = schema.enum === undefined ? (wrong[schema.type] ?? []) : ["nope"];
        for (const value of values) {
          const reply = await send(operation.method, `${pathOf(operation)}?${parameter}=${value}`, validBody(operation));
          // An empty value counts as missing.
          if (value === "" && reply.status < 400) continue;
          expectErrorReply(`${name}?${parameter}=${value}`, reply, [400]);
        }
        expectErrorReply(
          `${name}?${parameter} twice`,
          await send(operation.method, `${pathOf(operation)}?${parameter}=1&${parameter}=1`, validBody(operation)),
          [400],
        );
      }
      if (/since|until/.test(JSON.stringify(operation.parameters)) && !operation.path.endsWith("/stream"))
        expectErrorReply(`${name}?since`, await send(operation.method, `${pathOf(operation)}?since=yesterday`, validBody(operation)), [400]);
    });
  });

  it("with bodies that are not JSON objects", async () => {
    await forEachOperation(async (operation, name) => {
      if (operation.body === undefined) return;
      for (const body of [...(operation.isBodyRequired ? [""] : []), "{", "[]", "null", "5", '"x"', "{}}", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])])
        expectErrorReply(`${name} with ${String(body)}`, await send(operation.method, pathOf(operation), body), [400]);
    });
  });

  it("with members missing, unknown or of another type", async () => {
    await forEachOperation(async (operation, name) => {
      const { properties = {}, required = [] } = operation.body ?? {};
      const valid = JSON.parse(validBody(operation) ?? "{}") as Record<string, unknown>;
      for (const member of required) {
        const { [member]: _, ...rest } = valid;
        expectErrorReply(`${name} without ${member}`, await send(operation.method, pathOf(operation), JSON.stringify(rest)), [400]);
      }
      for (const [member, schema] of Object.entries(properties)) {
        const wrong = wrongFor(schema.type);
        if (wrong === undefined) continue;
        const reply = await send(operation.method, pathOf(operation), JSON.stringify({ ...valid, [member]: wrong }));
        expectErrorReply(`${name} with ${member}: ${JSON.stringify(wrong)}`, reply, [400, 422]);
      }
      if (operation.body !== undefined && (operation.body as { additionalProperties?: unknown }).additionalProperties === false)
        expectErrorReply(`${name} with an unknown member`, await send(operation.method, pathOf(operation), JSON.stringify({ ...valid, nonsense: 1 })), [400]);
    });
  });

  it("with bodies too large, of binary types or in other character sets", async () => {
    await forEachOperation(async (operation, name) => {
      if (operation.body === undefined) return;
      const large = await send(operation.method, pathOf(operation), JSON.stringify({ yaml: "x".repeat(70_000) }));
      if (large.status !== 0) expectErrorReply(`${name} too large`, large, [413]);
      for (const type of ["multipart/form-data; boundary=x", "image/png", "application/json; charset=utf-16"])
        expectErrorReply(`${name} as ${type}`, await send(operation.method, pathOf(operation), "{}", { "content-type": type }), [415]);
      // Validation reports errors in a document instead of rejecting it.
      for (const type of operation.types.filter((contentType) => contentType !== "application/json" && !operation.path.endsWith("/validate")))
        expectErrorReply(
          `${name} as ${type}`,
          await send(operation.method, pathOf(operation), Buffer.from([0xff, 0xfe, 0x00]), { "content-type": type }),
          [400, 422],
        );
    });
  });

  it("with an API version that is not served", async () => {
    await forEachOperation(async (operation, name) => {
      for (const version of ["2", "0", "1.0", "latest", "1, 2"]) {
        const reply = await send(operation.method, pathOf(operation), validBody(operation), { "accept-api-version": version });
        expectErrorReply(`${name} of version ${version}`, reply, [406]);
        expect(JSON.parse(reply.text)).toEqual({ error: `API version '${version}' is not served: this runtime serves 1` });
      }
    });
    const versioned = { "accept-api-version": "1" };
    expect((await send("GET", "/_api/flows", undefined, versioned)).status).toBe(200);
    expect((await send("GET", "/_api/health", undefined, { ...versioned, authorization: "" })).status).toBe(200);
    // The order of checks: token, path and method come first.
    expect((await send("GET", "/_api/flows", undefined, { "accept-api-version": "9", authorization: "" })).status).toBe(401);
    expect((await send("GET", "/_api/nope", undefined, { "accept-api-version": "9" })).status).toBe(404);
    expect((await send("PATCH", "/_api/flows", undefined, { "accept-api-version": "9" })).status).toBe(405);
  });

  it("with an outdated hash", async () => {
    for (const path of ["/_api/flows/a", "/_api/value-mappings/a", "/_api/message-mappings/a"])
      for (const method of ["PUT", "DELETE"]) {
        const body = path.includes("flows")
          ? { yaml: replyFlow("a", "y") }
          : path.includes("value")
            ? { entries: { x: "z" } }
            : { source: { format: "json" }, target: { format: "json" }, map: [] };
        expectErrorReply(`${method} ${path}`, await send(method, path, JSON.stringify(body), { "if-match": '"0000"' }), [412]);
      }
  });

  it("with the messages that the contract specifies", async () => {
    const put = (body: unknown, id = "t"): Promise<Reply> => send("PUT", `/_api/flows/${id}`, JSON.stringify(body));
    const texts: readonly (readonly [Promise<Reply>, number, string | RegExp])[] = [
      [send("GET", "/_api/flows", undefined, { authorization: "" }), 401, "unauthorized"],
      [send("PUT", "/_api/flows/t", "{"), 400, /^invalid JSON body: /],
      [put({}), 400, "yaml is required"],
      [put({ yaml: 5 }), 400, "yaml must be a string"],
      [put({ yaml: replyFlow("t", "x"), params: [] }), 400, "params must be an object"],
      [put({ yaml: replyFlow("t", "x") }, "b@d"), 400, "invalid id 'b@d': use letters, digits, '.', '_', '-' (max 128)"],
      [put({ yaml: "- route: {id: [" }), 400, /^invalid YAML at line \d+, column \d+: /],
      [put({ yaml: replyFlow("t", "x").replace("setBody", "lgo") }), 422, /^line 6: unknown step 'lgo' in route 't'/],
      [put({ yaml: "[]" }), 422, "flow defines no routes"],
      [
        put({ yaml: replyFlow("t", "x").replace("uri: webhook", "uri: platform-http:/_api/flows") }),
        422,
        /^(line \d+: )?route 't' claims reserved path '\/_api\/flows': paths under \/_api belong to the management API/,
      ],
      [put({ yaml: replyFlow("t", '"{{erp.url}}"') }), 422, /no value for parameter 'erp.url'/],
      [put({ yaml: replyFlow("a", "x") }), 409, "route id 'a' is already used by flow 'a'"],
      [send("GET", "/_api/flows/none"), 404, "flow 'none' not found"],
      [send("GET", "/_api/value-mappings/none"), 404, "value mapping 'none' not found"],
      [send("GET", "/_api/message-mappings/none"), 404, "message mapping 'none' not found"],
      [send("GET", "/_api/auth/none"), 404, "access policy for flow 'none' not found"],
      [send("GET", "/_api/runs/none"), 404, "run 'none' not found"],
      [send("POST", "/_api/routes/none/stop"), 404, "route 'none' not found"],
      [send("DELETE", "/_api/test/session/none"), 404, "test session 'none' not found"],
      [send("GET", "/_api/runs?limit=0"), 400, "limit must be an integer of 1 or more"],
      [send("PATCH", "/_api/flows"), 405, "method not allowed"],
      [send("PUT", "/_api/flows/t", "{}", { "content-type": "image/png" }), 415, "unsupported content type 'image/png'"],
      [put({ yaml: "x".repeat(70_000) }), 413, "request body exceeds 65536 bytes"],
    ];
    for (const [reply, status, text] of texts) {
      const received = await reply;
      expectErrorReply(String(text), received, [status]);
      const { error } = JSON.parse(received.text) as { error: string };
      if (typeof text === "string") expect(error).toBe(text);
      else expect(error).toMatch(text);
    }
  });
});

describe("internal failures", () => {
  const failing: Readonly<Record<string, string>> = {
    throws: "throwException: {exceptionType: java.io.IOException, message: inner secret text}",
    "bad-json": "unmarshal: {json: {}}",
    "bad-xml": "unmarshal: {jacksonXml: {}}",
    "no-table": 'setBody: {simple: "${valueMapping(none,a,b,c)}"}',
    "no-document": "to: message-mapping:none",
    "no-route": "to: direct:nowhere?timeout=200",
    "no-host": 'to: "http://127.0.0.1:1/"',
    "not-a-number": 'setBody: {simple: "${bodyAs(Integer)}"}',
    "bad-path": "setBody: {jsonpath: $.a.b}",
    "bad-xpath": "setBody: {xpath: /a/b}",
    "no-file": 'pollEnrich: {constant: "file:/nowhere/at/all?fileName=x", timeout: 1}',
    "bad-type": "convertBodyTo: {type: Integer}",
  };

  it("in routes: the caller sees which route and which run, and nothing else", async () => {
    let failures = 0;
    for (const [id, step] of Object.entries(failing)) {
      const reply = await server.putFlow(id, `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n        - ${step}\n`);
      if (reply.status >= 300) continue;
      const { status, text } = await call(server.baseUrl, "POST", `/api/${id}`, "not { what it should be");
      seen.push(text);
      if (status < 400) continue;
      failures++;
      // Errors in the caller's own body may be shown to the caller.
      const cause = status === 400 ? "(: .+)?" : "";
      expect([id, JSON.parse(text)]).toEqual([id, { error: expect.stringMatching(new RegExp(`^route '${id}' failed \\(run run_\\w+\\)${cause}$`)) }]);
      expect([id, leak.exec(text)?.[0]]).toEqual([id, undefined]);
    }
    expect(failures).toBeGreaterThanOrEqual(8);
  });

  it("in the environment: directories missing or replaced by files, a damaged store, a file that cannot be read", async () => {
    const { dataDir } = server;
    await server.putFlow("kept", replyFlow("kept", "x"), { a: 1 });
    writeFileSync(join(dataDir, "routes", "kept.params.json"), "{");
    expectErrorReply("GET a flow with damaged parameters", await send("GET", "/_api/flows/kept"), [500]);
    expectErrorReply("PUT over damaged parameters", await send("PUT", "/_api/flows/kept", JSON.stringify({ yaml: replyFlow("kept", "y") })), [500]);
    mkdirSync(join(dataDir, "store"), { recursive: true });
    rmSync(join(dataDir, "store"), { recursive: true });
    writeFileSync(join(dataDir, "store"), "not a directory");
    for (const folder of ["routes", "value-mappings", "message-mappings", "policies"]) {
      renameSync(join(dataDir, folder), join(dataDir, `${folder}-away`));
      writeFileSync(join(dataDir, folder), "not a directory");
    }
    const valid = { source: { format: "json" }, target: { format: "json" }, map: [] };
    const broken: readonly (readonly [string, string, unknown?])[] = [
      ["GET", "/flows"],
      ["GET", "/flows/a"],
      ["PUT", "/flows/new", { yaml: replyFlow("new", "x") }],
      ["PUT", "/flows/new?dryRun=true", { yaml: replyFlow("new", "x") }],
      ["PUT", "/flows/a", { yaml: replyFlow("a", "z") }],
      ["PUT", "/flows/new", { yaml: replyFlow("new", "x"), params: { a: { value: "b", secret: true } } }],
      ["DELETE", "/flows/a"],
      ["PUT", "/value-mappings/new", { entries: {} }],
      ["PUT", "/value-mappings/a", { entries: { x: "q" } }],
      ["DELETE", "/value-mappings/a"],
      ["PUT", "/message-mappings/new", valid],
      ["PUT", "/message-mappings/a", valid],
      ["DELETE", "/message-mappings/a"],
      ["PUT", "/auth/a", { default: "deny" }],
      ["PUT", "/auth/new", { authenticate: [{ type: "apiKey", keys: [{ id: "k", key: "secret-key-1" }] }] }],
      ["GET", "/dead-letters"],
      ["GET", "/dead-letters/x"],
      ["DELETE", "/dead-letters/x"],
      ["POST", "/dead-letters/x/replay"],
      ["POST", "/dead-letters/replay", { routeId: "a" }],
      ["DELETE", "/dead-letters?routeId=a"],
    ];
    let failures = 0;
    for (const [method, path, body] of broken) {
      const reply = await send(method, `/_api${path}`, body === undefined ? undefined : JSON.stringify(body));
      if (reply.status < 400) continue;
      if (reply.status >= 500) failures++;
      expectErrorReply(`${method} ${path}`, reply, [404, 500, 507]);
      if (reply.status === 500) expect(JSON.parse(reply.text).error).toMatch(/^(internal error \(ref \w+\)|cannot change '|the )/);
    }
    expect(failures).toBeGreaterThanOrEqual(12);
    expect((await call(server.baseUrl, "POST", "/api/kept", "x")).text).toBe("x");
    expect((await send("GET", "/_api/health")).status).toBe(200);
  });

  it("the token appears neither in any reply nor in the trace-level log", async () => {
    expect((await send("POST", "/api/logs", "the-last-request")).status).toBe(200);
    await eventually(() => server.logText().includes("the-last-request"));
    expect(seen.length).toBeGreaterThan(1_000);
    expect(seen.filter((text) => text.includes(token))).toEqual([]);
    expect(server.logText()).not.toContain(token);
  });
});
