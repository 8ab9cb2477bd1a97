import { FlowError, Run, type Exchange, type HttpMount, type HttpReply, type HttpRequest, type Processor } from "@sluice/engine/spi";
import { connectorUnderTest, FakeHost, FakeRouteInput, routeIdentity, settle } from "@sluice/testkit";
import { beforeEach, expect, test } from "vitest";
import { platformHttpConnector } from "../platform-http/platform-http.ts";
import { nodeHttpTools } from "./node-http-tools.ts";
import { webhookConnector } from "./webhook.ts";

const platformHttp = platformHttpConnector(nodeHttpTools);
const webhook = webhookConnector(nodeHttpTools);

let host: FakeHost;
beforeEach(() => {
  host = new FakeHost();
});

interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  readonly params?: Readonly<Record<string, string>>;
  readonly principal?: unknown;
}

function requestOf(parts: RequestParts = {}): HttpRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of parts.headers ?? []) if (name !== "__proto__") headers[name.toLowerCase()] = value;
  const { method = "POST", path = "/api/orders", query = "", params = {}, principal, body = "hello" } = parts;
  return { method, path, query, headers, rawHeaders: (parts.headers ?? []).flat(), body: Buffer.from(body), params, principal, session: undefined };
}

function startSource(uri: string, work: Processor = () => undefined, id = "orders") {
  const declaration = uri.startsWith("webhook") ? webhook : platformHttp;
  const routeInput = new FakeRouteInput(work, routeIdentity(id));
  const source = connectorUnderTest(declaration, host).source(uri.replace(/^webhook\?/, "webhook:?"), routeIdentity(id));
  void source.start(routeInput);
  const mount = host.http.mounts.at(-1) as HttpMount;
  return { source, routeInput, call: (parts?: RequestParts) => mount.handle(requestOf(parts)) };
}

const setBody =
  (body: unknown): Processor =>
  (exchange) =>
    void (exchange.message.body = body);
const json = (reply: HttpReply): unknown => JSON.parse(String(reply.body));

test("a synchronous route responds without a promise", () => {
  const { call, routeInput } = startSource("webhook");
  const reply = call();
  expect(reply).not.toBeInstanceOf(Promise);
  expect(reply).toMatchObject({
    status: 200,
    body: "ok",
    headers: { "Content-Type": "text/plain; charset=utf-8", "X-Run-Id": routeInput.exchanges[0]?.run.id },
  });
});

test("the route receives the body as raw bytes", () => {
  const { call, routeInput } = startSource("webhook");
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  void call({ body });
  expect(routeInput.exchanges[0]?.message.body).toEqual(body);
});

test.each([
  ["text", "done", "done", "text/plain; charset=utf-8"],
  ["a map", { id: 7 }, '{"id":7}', "application/json"],
  ["a Map", new Map([["id", 7]]), '{"id":7}', "application/json"],
  ["a list", [1, 2], "[1,2]", "application/json"],
  ["a number", 5, "5", "text/plain; charset=utf-8"],
  ["bytes", Uint8Array.of(1, 255), Uint8Array.of(1, 255), "application/octet-stream"],
])("%s set by a step is the response", (_name, body, expected, type) => {
  expect(startSource("webhook", setBody(body)).call()).toMatchObject({ status: 200, body: expected, headers: { "Content-Type": type } });
});

test("a body emptied by a step is an empty response, not 'ok'", () => {
  expect(startSource("webhook", setBody(null)).call()).toMatchObject({ status: 200, body: "" });
  expect(startSource("webhook", setBody("")).call()).toMatchObject({ status: 200, body: "" });
});

test("platform-http echoes the body and responds 204 without one", () => {
  const { call } = startSource("platform-http:/orders");
  expect(call({ body: "same" })).toMatchObject({ status: 200, body: Buffer.from("same") });
  expect(call({ body: "" })).toMatchObject({ status: 204, body: undefined });
  expect(startSource("platform-http:/orders", setBody("  \n")).call()).toMatchObject({ status: 204, body: undefined });
  expect(startSource("platform-http:/orders", setBody(Uint8Array.of(0))).call()).toMatchObject({ status: 200 });
});

test("only headers set by the route are sent back, none of the engine's", () => {
  const { call } = startSource("webhook", (exchange) => {
    exchange.message.headers.set("X-Mine", "1");
    exchange.message.headers.set("X-Many", ["a", "b"]);
    exchange.message.headers.set("Content-Type", "application/problem+json");
    exchange.message.headers.set("CamelHttpResponseCode", "201");
    exchange.message.headers.set("X-Run-Id", "forged");
    exchange.message.body = "{}";
  });
  const reply = call({
    headers: [
      ["Authorization", "Bearer s3cret"],
      ["Cookie", "a=b"],
      ["X-Theirs", "2"],
    ],
  }) as HttpReply;
  expect(reply.status).toBe(201);
  expect(Object.keys(reply.headers ?? {}).sort()).toEqual(["Content-Type", "X-Many", "X-Mine", "X-Run-Id", "traceresponse"]);
  expect(reply.headers).toMatchObject({ "Content-Type": "application/problem+json", "X-Many": ["a", "b"] });
  expect(reply.headers?.["X-Run-Id"]).not.toBe("forged");
});

test("an invalid response code fails the call, not the process", () => {
  expect(startSource("webhook", (exchange) => exchange.message.headers.set("CamelHttpResponseCode", "99999")).call()).toMatchObject({ status: 500 });
});

function receivedHeaders(parts: RequestParts): Exchange["message"]["headers"] {
  const { call, routeInput } = startSource("webhook");
  void call(parts);
  return (routeInput.exchanges[0] as Exchange).message.headers;
}

test("no spelling of a Camel header is accepted from the caller, and received headers control nothing", () => {
  const headers = receivedHeaders({
    headers: [
      ["CamelHttpUri", "http://evil"],
      ["camelhttpuri", "x"],
      ["cAmElFiLeNaMe", "/etc/passwd"],
      ["Host", "shop"],
    ],
    query: "CamelHttpMethod=DELETE&camelFileName=x",
  });
  expect(headers.get("CamelHttpUri")).toBe("/api/orders?CamelHttpMethod=DELETE&camelFileName=x");
  expect(headers.get("CamelHttpUrl")).toBe("http://shop/api/orders?CamelHttpMethod=DELETE&camelFileName=x");
  expect(headers.get("CamelHttpMethod")).toBe("POST");
  expect(headers.has("CamelFileName")).toBe(false);
  expect(headers.getOwn("CamelHttpUri")).toBeUndefined();
  expect([...headers.own()]).toEqual([]);
});

test("headers keep the caller's spelling; hop-by-hop headers and JavaScript property names are harmless", () => {
  const headers = receivedHeaders({
    headers: [
      ["X-Source", "shop"],
      ["Connection", "close"],
      ["TE", "trailers"],
      ["__proto__", "x"],
      ["constructor", "c"],
    ],
  });
  expect([...headers].map(([name]) => name).filter((name) => !name.startsWith("Camel"))).toEqual(["X-Source", "constructor"]);
  expect(headers.get("toString")).toBeUndefined();
});

test("query values are decoded and become lists when repeated; headers override them, path values override both", () => {
  const headers = receivedHeaders({
    query: "a=1&a=2&b=x%20y+z&c&bad=%zz&id=query&x-source=query",
    headers: [
      ["X-Source", "header"],
      ["id", "header"],
    ],
    params: { id: "path" },
  });
  expect(headers.get("a")).toEqual(["1", "2"]);
  expect(headers.get("b")).toBe("x y z");
  expect(headers.get("c")).toBe("");
  expect(headers.get("bad")).toBe("%zz");
  expect(headers.get("x-source")).toBe("header");
  expect(headers.get("id")).toBe("path");
});

test("only a thousand of 10,000 query parameters become headers", () => {
  const query = Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join("&");
  expect(receivedHeaders({ query }).size).toBeLessThan(1_010);
});

test("a failed run reports route and run, and the cause only with muteException=false", () => {
  const failing: Processor = () => {
    throw new FlowError("java.lang.IllegalStateException", "the secret is 42");
  };
  const muted = startSource("webhook", failing);
  const reply = muted.call() as HttpReply;
  expect(reply.status).toBe(500);
  expect(json(reply)).toEqual({ error: `route 'orders' failed (run ${muted.routeInput.exchanges[0]?.run.id})` });
  expect(json(startSource("webhook?muteException=false", failing).call() as HttpReply)).toEqual({ error: expect.stringContaining("the secret is 42") });
});

test("an unreadable body is a client error only if it is the caller's body", () => {
  const unreadable = new FlowError("java.lang.IllegalArgumentException", "line 1: not valid JSON", { code: "invalid-json", details: { clientFault: true } });
  const reading: Processor = () => {
    throw unreadable;
  };
  expect(startSource("webhook", reading).call()).toMatchObject({ status: 400, body: expect.stringContaining("line 1: not valid JSON") });
  const asText: Processor = (exchange) => {
    exchange.message.body = "hello";
    throw unreadable;
  };
  expect(startSource("webhook", asText).call()).toMatchObject({ status: 400 });
  const partner: Processor = (exchange) => {
    exchange.message.body = "a partner's response";
    throw unreadable;
  };
  expect(startSource("webhook", partner).call()).toMatchObject({ status: 500 });
});

test.each([
  ["limit-inflight", 503],
  ["limit-time", 504],
  ["limit-run-time", 504],
  ["run-abandoned", 503],
  ["run-cancelled", 503],
])("a failure with code %s gets status %i", (code, status) => {
  const reply = startSource("webhook", () => {
    throw new FlowError("java.lang.IllegalStateException", "limit", { code });
  }).call();
  expect(reply).toMatchObject({ status });
});

test("async=true responds 202 with the run id while the run continues", async () => {
  let release = (): void => undefined;
  const { call, routeInput } = startSource("webhook?async=true", () => new Promise<void>((resolve) => (release = resolve)));
  const reply = call() as HttpReply;
  expect(reply.status).toBe(202);
  expect(json(reply)).toEqual({ runId: routeInput.exchanges[0]?.run.id });
  expect(routeInput.deliveries[0]?.pattern).toBe("InOnly");
  release();
  await settle();
});

test("async=allow responds 202 only with Prefer: respond-async", () => {
  const { call } = startSource("webhook?async=allow");
  expect(call()).toMatchObject({ status: 200 });
  expect(call({ headers: [["Prefer", "wait=5, respond-async"]] })).toMatchObject({ status: 202 });
  expect(startSource("webhook").call({ headers: [["Prefer", "respond-async"]] })).toMatchObject({ status: 200 });
});

test("a caller that waits too long gets 504 with the run id, and no timer is left", async () => {
  let release = (): void => undefined;
  const { call, routeInput } = startSource("webhook?requestTimeout=2s", () => new Promise<void>((resolve) => (release = resolve)));
  const timedOut = call();
  await host.clock.advance(2_000);
  expect(await timedOut).toMatchObject({ status: 504, headers: { "X-Run-Id": routeInput.exchanges[0]?.run.id } });
  release();
  await settle();
  const inTime = call();
  release();
  expect(await inTime).toMatchObject({ status: 200 });
  expect(host.clock.pending).toBe(0);
});

test("a caller gets the run of its own request, even during a direct: call", async () => {
  const callee: Processor = (exchange) => {
    const { run } = exchange;
    exchange.run = new Run("run-callee", routeIdentity("callee"), 0, { uri: "direct:callee" }, run);
    return new Promise<void>(() => undefined);
  };
  const accepted = startSource("webhook?async=true", callee);
  const reply = accepted.call() as HttpReply;
  const runId = accepted.routeInput.exchanges[0]?.run.parent?.id;
  expect([reply.status, json(reply), reply.headers?.["X-Run-Id"]]).toEqual([202, { runId }, runId]);
  const slow = startSource("webhook?requestTimeout=2s", callee);
  const timedOut = slow.call();
  await host.clock.advance(2_000);
  const slowRunId = slow.routeInput.exchanges[0]?.run.parent?.id;
  expect(await timedOut).toMatchObject({ status: 504, headers: { "X-Run-Id": slowRunId }, body: expect.stringContaining(`(run ${slowRunId})`) });
});

test.each(["X-Run-Id", "x-run-id", "X-RUN-ID", "traceresponse", "TraceResponse"])("neither a route nor a caller can set %s", (name) => {
  const forged = "a\r\nSet-Cookie: b=c";
  const { call, routeInput } = startSource("webhook", (exchange) => exchange.message.headers.set(name, forged));
  const caller = `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00\r\nSet-Cookie: b=c`;
  const reply = call({
    headers: [
      [name, forged],
      ["traceparent", caller],
    ],
  }) as HttpReply;
  expect(Object.keys(reply.headers ?? {}).sort()).toEqual(["Content-Type", "X-Run-Id", "traceresponse"]);
  expect(reply.headers?.["X-Run-Id"]).toBe(routeInput.exchanges[0]?.run.id);
  expect(reply.headers?.["traceresponse"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(reply.headers?.["traceresponse"]).not.toContain("4bf92f3577b34da6a3ce929d0e0e4736");
});

test("the caller's trace is continued", () => {
  const { call, routeInput } = startSource("webhook");
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const reply = call({ headers: [["traceparent", `00-${traceId}-00f067aa0ba902b7-00`]] }) as HttpReply;
  expect(routeInput.deliveries[0]?.trace).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7", sampled: false });
  expect(reply.headers?.["traceresponse"]).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
});

test("the principal becomes a property, and used mocks are named in X-Mocked", () => {
  const { call, routeInput } = startSource("webhook", (exchange) => exchange.setProperty("SluiceMocked", "ts_1"));
  const reply = call({ principal: { id: "shop" } }) as HttpReply;
  expect(routeInput.exchanges[0]?.property("principal")).toEqual({ id: "shop" });
  expect(reply.headers?.["X-Mocked"]).toBe("ts_1");
});

test("a single uploaded file becomes the body, and its name without folders and the form fields become headers", async () => {
  const { call, routeInput } = startSource("webhook");
  const part = (head: string, body: string): string => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const oneFile = `${part('name="note"', "hi")}${part('name="f"; filename="../../etc/a.csv"', "x;y")}--b--\r\n`;
  await call({ headers: [["Content-Type", "multipart/form-data; boundary=b"]], body: oneFile });
  const { message } = routeInput.exchanges[0] as Exchange;
  expect(String(message.body)).toBe("x;y");
  expect([message.headers.get("CamelFileName"), message.headers.getOwn("CamelFileName"), message.headers.get("note")]).toEqual(["a.csv", undefined, "hi"]);
  const twoFiles = `${part('name="f"; filename="a"', "1")}${part('name="g"; filename="b"', "2")}--b--\r\n`;
  for (const [type, body] of [
    ["multipart/form-data; boundary=b", twoFiles],
    ["multipart/form-data", oneFile],
    ["multipart/form-data; boundary=other", oneFile],
  ]) {
    await call({ headers: [["Content-Type", type as string]], body: body as string });
    expect(String(routeInput.exchanges.at(-1)?.message.body), type).toBe(body);
  }
});

test("consumes rejects other content types", () => {
  const { call } = startSource("webhook?consumes=application/json,text/*");
  expect(call({ headers: [["Content-Type", "application/json;;;"]] })).toMatchObject({ status: 200 });
  expect(call({ headers: [["Content-Type", "text/csv; charset=bogus"]] })).toMatchObject({ status: 200 });
  expect(call({ headers: [["Content-Type", "image/png"]] })).toMatchObject({ status: 415 });
  expect(call()).toMatchObject({ status: 415 });
});
