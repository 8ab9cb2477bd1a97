// Sends generated requests to every operation of the management API of a real runtime. A reply must have a status that the operation declares, an error must
// have a code and the body {"error": text}, a successful reply must match its schema, and none may be a 500.
//
//   SLUICE_API_REQUESTS=200000 SLUICE_SEED=7 npx vitest run --project long tests/long/api-fuzz.test.ts
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DeclaredStatuses } from "../declared-statuses.ts";
import { schemaErrors } from "../schema-errors.ts";
import { call, startTestServer, token, type StartedServer } from "../started-server.ts";
import { operationsOf, RequestGenerator, type GeneratedRequest } from "./api-requests.ts";

const count = Number(process.env["SLUICE_API_REQUESTS"] ?? 20_000);
const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_119);
/** Requests in flight. */
const concurrency = 8;
/** After this many requests, what was deleted is created again. */
const roundLength = 250;
/** Need a message that is held at that moment. */
const rarelySuccessful = ["POST /_api/breakpoints/{id}/continue", "POST /_api/breakpoints/{id}/step", "POST /_api/breakpoints/{id}/abort"];

/** Sent by the listener, which does not know whether a request is for the API. */
const unrouted: ReadonlySet<number> = new Set([414, 417, 431]);

let server: StartedServer;
let document: any;
const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true", SERVICE_MAX_BODY: "64k", SERVICE_LOG_LEVEL: "error" } });
  document = (await server.api("GET", "/openapi.json")).json;
});
afterAll(async () => {
  agent.destroy();
  await server.end();
});

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends bytes that fetch would not. An event stream is closed after its head. */
function send({ method, path, headers, body, isChunked }: GeneratedRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    const framing = body === undefined ? {} : isChunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) };
    // As an option, because a URL would be normalized.
    const target = { host: "127.0.0.1", port: new URL(server.baseUrl).port, path: `/_api${path}` };
    const outgoing = request({ ...target, method, agent, headers: { ...headers, ...framing } }, (reply) => {
      const received = (text: string): void =>
        resolve({ status: reply.statusCode as number, headers: new Headers(reply.headers as Record<string, string>), text });
      if (reply.headers["content-type"]?.startsWith("text/event-stream") === true) {
        received("");
        outgoing.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => received(Buffer.concat(chunks).toString()));
      reply.on("error", reject);
    });
    // A body that is too large may be cut off after the reply.
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      ["ECONNRESET", "EPIPE"].includes(error.code ?? "") ? resolve({ status: 0, headers: new Headers(), text: "" }) : reject(error),
    );
    if (body !== undefined) outgoing.write(body);
    outgoing.end();
  });
}

/** Creates one item of every kind, and returns the ids of all. */
async function createItems(): Promise<Readonly<Record<string, readonly string[]>>> {
  const example = (path: string, method = "put"): unknown => document.paths[path][method].requestBody.content["application/json"].example;
  // A generated flow may have taken a route of these, and its `to: direct:none` waits 30 s for a consumer.
  for (const { id } of (await server.api("GET", "/flows")).json.flows) await server.api("DELETE", `/flows/${encodeURIComponent(id)}`);
  await server.api("PUT", "/flows/orders", example("/_api/flows/{id}"));
  await server.api("DELETE", "/auth/orders");
  await server.putFlow(
    "failing",
    "- errorHandler:\n    deadLetterChannel: sluice:dead-letters\n- route:\n    id: failing\n    from:\n      uri: webhook\n      steps:\n        - throwException: {exceptionType: java.lang.Error, message: no}\n",
  );
  for (const route of ["order-intake", "failing"]) {
    await server.api("POST", `/routes/${route}/start`);
    await server.api("POST", `/routes/${route}/resume`);
    await call(server.baseUrl, "POST", `/api/${route}`, "x");
  }
  await server.api("PUT", "/connections/erp", example("/_api/connections/{id}"));
  await server.api("PUT", "/kamelets/greeter-action", example("/_api/kamelets/{name}"));
  await server.api("PUT", "/value-mappings/units", example("/_api/value-mappings/{id}"));
  await server.api("PUT", "/message-mappings/order-to-erp", example("/_api/message-mappings/{id}"));
  await server.api("PUT", "/auth/stock", example("/_api/auth/{flowId}"));
  const session = await server.api("POST", "/test/session", { scope: "session", ttlMs: 600_000 });
  const breakpoints = await server.api("POST", "/breakpoints", example("/_api/breakpoints", "post"));
  const job = await server.api("POST", "/dead-letters/replay", { routeId: "failing", limit: 1 });
  const { runs } = (await server.api("GET", "/runs?limit=5")).json;
  const { deadLetters } = (await server.api("GET", "/dead-letters?limit=5")).json;
  const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);
  const etagOf = async (path: string): Promise<readonly string[]> => [(await server.api("GET", path)).headers.get("etag") ?? "*"];
  return {
    "flows id": ["orders", "failing", "f1", "f2"],
    "flows revision": ["1", "2"],
    "flows etag": await etagOf("/flows/orders"),
    "access flowId": ["stock", "failing", "f1"],
    "access etag": await etagOf("/auth/stock"),
    "connections id": ["erp", "c1"],
    "connections etag": await etagOf("/connections/erp"),
    "kamelets name": ["greeter-action", "k1"],
    "value mappings id": ["units", "t1"],
    "value mappings etag": await etagOf("/value-mappings/units"),
    "message mappings id": ["order-to-erp", "m1"],
    "message mappings etag": await etagOf("/message-mappings/order-to-erp"),
    "routes id": ["order-intake", "failing"],
    "dead letters id": [...idsOf(deadLetters), ...(job.json.id === undefined || job.json.id === null ? [] : [job.json.id])],
    "runs id": idsOf(runs),
    "test id": session.status === 201 ? [session.json.sessionId] : [],
    "breakpoints id": breakpoints.status === 201 ? [breakpoints.json.sessionId] : [],
  };
}

/** Closes sessions that the requests opened, of which only a few can be open at a time. */
async function closeSessions(ids: readonly string[]): Promise<void> {
  for (const id of ids) await server.api("DELETE", id.startsWith("bp_") ? `/breakpoints/${id}` : `/test/session/${id}`);
}

function schemaProblem({ operation, method }: GeneratedRequest, { status, headers, text }: Received): string | undefined {
  const [, path = ""] = operation.split(" ");
  const declared = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  if (declared === undefined || status >= 300 || !type.endsWith("json")) return undefined;
  const schema = declared.content?.[type]?.schema;
  if (schema === undefined) return `replied with ${type}, which is not declared`;
  const [first] = schemaErrors(JSON.parse(text), schema, { document, isStrict: false });
  if (first !== undefined) return `the reply does not match its schema: ${first}`;
  return (declared.headers?.ETag !== undefined) === headers.has("etag") ? undefined : `ETag is ${headers.get("etag")}`;
}

it(`${count} generated requests with seed ${seed} get only declared replies`, { timeout: 1_800_000 + count * 60 }, async () => {
  const generator = new RequestGenerator(document, token, seed);
  const declared = new DeclaredStatuses(document);
  const statuses = new Map<string, Map<number, number>>();
  const problems: string[] = [];
  let sent = 0;
  let opened: string[] = [];

  async function sendNext(): Promise<void> {
    const next = generator.next();
    const received = await send(next);
    const { status, headers, text } = received;
    const byStatus = statuses.get(next.operation) ?? new Map<number, number>();
    statuses.set(next.operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
    if (status === 0) return;
    const shown = `${next.method} /_api${next.path.slice(0, 300)} ${JSON.stringify(next.headers).replace(token, "…").slice(0, 600)} ${next.body?.toString().slice(0, 600) ?? ""}`;
    const isInternal = status === 500 ? `replied with 500: ${text.slice(0, 300)}` : undefined;
    const problem = isInternal ?? declared.problemOf(next.method, next.path, received) ?? schemaProblem(next, received);
    if (problem !== undefined) problems.push(`${problem}\n    ${shown}`);
    else if (headers.get("x-api-version") !== "1" && !unrouted.has(status)) problems.push(`without X-Api-Version: ${shown}`);
    if (status === 201 && /^\/(test\/session|breakpoints)/.test(next.path)) opened.push(JSON.parse(text).sessionId);
  }

  while (sent < count && problems.length < 20) {
    await closeSessions(opened);
    opened = [];
    generator.known = await createItems();
    opened.push(...(generator.known["test id"] ?? []), ...(generator.known["breakpoints id"] ?? []));
    const end = Math.min(sent + roundLength, count);
    const work = async (): Promise<void> => {
      while (sent < end) {
        sent++;
        await sendNext();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  expect(problems.slice(0, 20), `seed ${seed}`).toEqual([]);
  expect((await server.api("GET", "/health")).json.status).toMatch(/^(UP|DEGRADED)$/);
  const withoutSuccess = operationsOf(document)
    .filter(({ name }) => !rarelySuccessful.includes(name) && ![...(statuses.get(name)?.keys() ?? [])].some((status) => status >= 200 && status < 300))
    .map(({ name }) => `${name}: ${[...(statuses.get(name) ?? [])].map(([status, times]) => `${times} × ${status}`).join(", ")}`);
  // A few requests are not enough to reach every operation.
  if (count >= 20_000) expect(withoutSuccess).toEqual([]);
  const totals = new Map<number, number>();
  for (const byStatus of statuses.values()) for (const [status, times] of byStatus) totals.set(status, (totals.get(status) ?? 0) + times);
  console.log(
    [...totals]
      .toSorted(([a], [b]) => a - b)
      .map(([status, times]) => `${status}: ${times}`)
      .join(", "),
  );
});
