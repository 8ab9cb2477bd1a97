// Runs as OpenTelemetry spans, sent to a collector that is a real HTTP server, including its failures.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, directFlow, eventually, replyFlow, startTestServer, type StartedServer, type StartOptions } from "./started-server.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: string } }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

let collector: Server;
let endpoint = "";
let respond: (count: number) => number | "never";
let requests: { path: string; headers: IncomingHttpHeaders; text: string; status: number | "never" }[];
let server: StartedServer | undefined;

beforeEach(async () => {
  requests = [];
  respond = () => 200;
  collector = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (chunk) => (text += chunk));
    incoming.on("end", () => {
      const status = respond(requests.length + 1);
      requests.push({ path: incoming.url as string, headers: incoming.headers, text, status });
      if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await server?.end();
  server = undefined;
  collector.closeAllConnections();
  collector.close();
});

const start = async (env: Readonly<Record<string, string>> = {}, limits: StartOptions["limits"] = {}): Promise<StartedServer> =>
  (server = await startTestServer({ env: { SERVICE_OTLP_ENDPOINT: endpoint, ...env }, limits }));

const exportedSpans = (): readonly Span[] =>
  requests
    .filter(({ status }) => status === 200)
    .flatMap(({ text }) => (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);

const attribute = (span: Span | undefined, key: string): string | undefined => {
  const value = span?.attributes.find((candidate) => candidate.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await (server as StartedServer).api("GET", "/metrics")).text)?.[1]);

describe("spans", () => {
  it("the span of a request is a child of its caller's span and the parent of the spans of its steps and called routes", async () => {
    const { putFlow, baseUrl } = await start({ SERVICE_OTLP_HEADERS: "authorization=Bearer%20c0llector,x-team=a" });
    await putFlow("inner", directFlow("inner", "setHeader: {id: mark, name: x, constant: y}"));
    await putFlow("outer", directFlow("outer", "to: {id: call, uri: direct:inner}", "setBody: {id: reply, constant: done}").replace("direct:outer", "webhook"));
    const before = Date.now();
    const caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const reply = await call(baseUrl, "POST", "/api/outer", "x", { traceparent: caller });
    await eventually(() => exportedSpans().length >= 5);
    const [, traceId, spanId] = (reply.headers.get("traceresponse") as string).split("-");
    const spans = exportedSpans();
    const spanNamed = (name: string): Span => spans.find((span) => span.name === name) as Span;
    expect(spans.map(({ name }) => name).toSorted()).toEqual(["call", "inner", "mark", "outer", "reply"]);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(traceId).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
    expect([spanNamed("outer").spanId, spanNamed("outer").parentSpanId, spanNamed("outer").kind]).toEqual([spanId, "00f067aa0ba902b7", 2]);
    expect([spanNamed("call").parentSpanId, spanNamed("reply").parentSpanId, spanNamed("inner").parentSpanId]).toEqual([spanId, spanId, spanId]);
    expect(spanNamed("mark").parentSpanId).toBe(spanNamed("inner").spanId);
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(5);
    for (const span of spans) expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(attribute(spanNamed("outer"), "sluice.run.id")).toBe(reply.headers.get("x-run-id"));
    expect(attribute(spanNamed("outer"), "http.request.method")).toBe("POST");
    const startTime = BigInt(spanNamed("outer").startTimeUnixNano);
    expect(Number(startTime / 1_000_000n)).toBeGreaterThanOrEqual(before);
    expect(BigInt(spanNamed("outer").endTimeUnixNano)).toBeGreaterThanOrEqual(startTime);
    expect(requests[0]).toMatchObject({
      path: "/v1/traces",
      headers: { "content-type": "application/json", authorization: "Bearer c0llector", "x-team": "a" },
    });
    expect(server?.logText()).not.toContain("c0llector");
  });

  it("a failed run names the step and the cause, without secrets", async () => {
    const { putFlow, baseUrl } = await start();
    await putFlow(
      "f",
      directFlow("fails", 'throwException: {id: boom, exceptionType: java.io.IOException, message: "no way to http://u:S3CR3T@h/"}').replace(
        "direct:fails",
        "webhook",
      ),
    );
    await call(baseUrl, "POST", "/api/fails", "x");
    await eventually(() => exportedSpans().length === 2);
    const [runSpan, step] = exportedSpans();
    expect(runSpan?.status?.code).toBe(2);
    expect(runSpan?.status?.message).toContain("no way to");
    expect(attribute(runSpan, "error.type")).toBe("java.io.IOException");
    expect(step).toMatchObject({ name: "boom", status: { code: 2 } });
    expect(requests.map(({ text }) => text).join("")).not.toContain("S3CR3T");
  });

  it("a collector that never replies delays nothing, and spans over the limit are dropped and counted", async () => {
    respond = () => "never";
    const { putFlow, baseUrl } = await start({}, { otlpSpans: 50 });
    await putFlow("f", replyFlow("quick", "ok"));
    for (let count = 0; count < 200; count++) expect((await call(baseUrl, "POST", "/api/quick", "x")).text).toBe("ok");
    expect(await metric("sluice_spans_waiting")).toBeLessThanOrEqual(50);
    expect(await metric("sluice_spans_dropped_total")).toBeGreaterThan(200);
    await (server as StartedServer).end();
    server = undefined;
  });

  it("an outage is logged once, and queued spans arrive when it is over", async () => {
    respond = (count) => (count <= 2 ? 503 : 200);
    const { putFlow, baseUrl, logText } = await start();
    await putFlow("f", replyFlow("quick", "ok"));
    for (let count = 0; count < 3; count++) await call(baseUrl, "POST", "/api/quick", "x");
    await eventually(() => exportedSpans().length === 6);
    await eventually(() => logText().includes("The collector accepts spans again"));
    expect(logText().split("did not accept spans").length - 1).toBe(1);
    await expect.poll(() => metric("sluice_spans_exported_total")).toBe(6);
    expect(await metric("sluice_spans_dropped_total")).toBe(0);
  });

  it("spans that the collector rejects permanently are not sent again, which is logged once per outage", async () => {
    respond = () => 401;
    const { putFlow, baseUrl, logText } = await start();
    await putFlow("f", replyFlow("quick", "ok"));
    const failures = (): number => logText().split("did not accept spans: status 401").length - 1;
    for (let batch = 1; batch <= 3; batch++) {
      await call(baseUrl, "POST", "/api/quick", "x");
      await eventually(async () => (await metric("sluice_spans_dropped_total")) === 2 * batch);
      expect(requests.length).toBe(batch);
    }
    respond = () => 200;
    await call(baseUrl, "POST", "/api/quick", "x");
    await eventually(() => logText().includes("The collector accepts spans again"));
    expect(failures()).toBe(1);
    respond = () => 401;
    await call(baseUrl, "POST", "/api/quick", "x");
    await eventually(() => failures() === 2);
  });

  it("a trace that the caller does not sample is not exported, and a ratio of 0 exports only traces that callers sample", async () => {
    const { putFlow, baseUrl } = await start({ SERVICE_OTLP_RATIO: "0" });
    await putFlow("f", replyFlow("quick", "ok"));
    const trace = (flags: string, last: string) => ({ traceparent: `00-4bf92f3577b34da6a3ce929d0e0e473${last}-00f067aa0ba902b7-${flags}` });
    await call(baseUrl, "POST", "/api/quick", "x");
    await call(baseUrl, "POST", "/api/quick", "x", trace("00", "1"));
    await call(baseUrl, "POST", "/api/quick", "x", trace("01", "2"));
    const sampled = (): ReadonlySet<string> => new Set(exportedSpans().map(({ traceId }) => traceId));
    await eventually(() => sampled().size > 0);
    await call(baseUrl, "POST", "/api/quick", "x", trace("01", "3"));
    await eventually(() => sampled().has("4bf92f3577b34da6a3ce929d0e0e4733"));
    expect(sampled()).toEqual(new Set(["4bf92f3577b34da6a3ce929d0e0e4732", "4bf92f3577b34da6a3ce929d0e0e4733"]));
  });

  it("the last spans are sent when the runtime stops", async () => {
    const { putFlow, baseUrl } = await start();
    await putFlow("f", replyFlow("quick", "ok"));
    await call(baseUrl, "POST", "/api/quick", "x");
    await (server as StartedServer).end();
    server = undefined;
    expect(exportedSpans().length).toBe(2);
  });

  it("without a collector nothing is sent and no metrics exist for it; an invalid address prevents the start", async () => {
    server = await startTestServer();
    await server.putFlow("f", replyFlow("quick", "ok"));
    await call(server.baseUrl, "POST", "/api/quick", "x");
    expect((await server.api("GET", "/metrics")).text).not.toContain("sluice_spans");
    expect(requests).toEqual([]);
    await expect(startTestServer({ env: { SERVICE_OTLP_ENDPOINT: "collector:4318" } })).rejects.toThrow(
      "SERVICE_OTLP_ENDPOINT: 'collector:4318' is not an http or https URL",
    );
  });
});
