// GET /_api/metrics on a real server, parsed as Prometheus does.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { call, directFlow, eventually, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

interface Scrape {
  readonly types: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, number>;
}

/** Strict parsing: every sample belongs to a family declared once, and every line is understood. */
function read(text: string): Scrape {
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      expect(types.has(type[1] as string)).toBe(false);
      types.set(type[1] as string, type[2] as string);
      continue;
    }
    if (/^# HELP \w+ .+$/.test(line)) continue;
    const sample = /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (-?[\d.e+-]+|NaN)$/.exec(line);
    expect(sample, line).not.toBeNull();
    const [, name, labels = "", value] = sample as unknown as [string, string, string | undefined, string];
    expect(types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, "")) === "histogram", line).toBe(true);
    expect(values.has(name + labels), line).toBe(false);
    values.set(name + labels, Number(value));
  }
  return { types, values };
}

const scrape = async (): Promise<Scrape> => {
  const reply = await server.api("GET", "/metrics");
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return read(reply.text);
};

describe("GET /_api/metrics", () => {
  it("needs the token, like everything except health", async () => {
    expect((await call(server.baseUrl, "GET", "/_api/metrics")).status).toBe(401);
    expect((await server.api("POST", "/metrics", {})).status).toBe(405);
  });

  it("reports runs by outcome and their durations, per route, across redeployments", async () => {
    await server.putFlow("shop", replyFlow("orders", "one"));
    await server.putFlow(
      "broken",
      directFlow("never", 'throwException: {exceptionType: java.lang.Exception, message: "no"}').replace("direct:never", "webhook"),
    );
    for (let count = 0; count < 5; count++) await call(server.baseUrl, "POST", "/api/orders", "x");
    await server.putFlow("shop", replyFlow("orders", "two"));
    for (let count = 0; count < 2; count++) await call(server.baseUrl, "POST", "/api/orders", "x");
    expect((await call(server.baseUrl, "POST", "/api/never", "x")).status).toBe(500);
    const { values } = await scrape();
    expect(values.get('sluice_runs_total{flow="shop",route="orders",status="completed"}')).toBe(7);
    expect(values.get('sluice_runs_total{flow="shop",route="orders",status="failed"}')).toBe(0);
    expect(values.get('sluice_runs_total{flow="broken",route="never",status="failed"}')).toBe(1);
    expect(values.get('sluice_run_duration_seconds_count{flow="shop",route="orders"}')).toBe(7);
    expect(values.get('sluice_run_duration_seconds_bucket{flow="shop",route="orders",le="+Inf"}')).toBe(7);
    const buckets = [...values].filter(([name]) => name.startsWith('sluice_run_duration_seconds_bucket{flow="shop"')).map(([, value]) => value);
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    expect(buckets.length).toBe(16);
  });

  it("a slow run is in flight while it lasts and in its bucket afterwards", async () => {
    let respond: (() => void) | undefined;
    const partner = await stubPartner((_call, response) => (respond = () => void response.end()));
    await server.putFlow("slow", directFlow("slow", `to: ${partner.url}`).replace("direct:slow", "webhook"));
    const pending = call(server.baseUrl, "POST", "/api/slow", "x");
    await eventually(() => respond !== undefined);
    const during = (await scrape()).values;
    expect(during.get('sluice_runs_inflight{flow="slow",route="slow"}')).toBe(1);
    expect(during.get("sluice_webhook_calls")).toBe(1);
    const { now } = Date;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 310);
    onTestFinished(() => clock.mockRestore());
    respond?.();
    await pending;
    clock.mockRestore();
    await partner.close();
    const { values } = await scrape();
    expect(values.get('sluice_runs_inflight{flow="slow",route="slow"}')).toBe(0);
    expect(values.get('sluice_run_duration_seconds_bucket{flow="slow",route="slow",le="0.25"}')).toBe(0);
    expect(values.get('sluice_run_duration_seconds_count{flow="slow",route="slow"}')).toBe(1);
    expect(values.get('sluice_run_duration_seconds_sum{flow="slow",route="slow"}')).toBeGreaterThanOrEqual(0.299);
  });

  it("reports queue depths and the number of dead letters", async () => {
    expect((await scrape()).values.get("sluice_dead_letters")).toBe(0);
    await server.putFlow("fill", directFlow("fill", "to: queue:waiting").replace("direct:fill", "webhook"));
    await server.putFlow(
      "bury",
      `- errorHandler: {deadLetterChannel: {deadLetterUri: "sluice:dead-letters"}}\n${directFlow("bury", 'throwException: {exceptionType: java.lang.Exception, message: "no"}').replace("direct:bury", "webhook")}`,
    );
    for (let count = 0; count < 3; count++) await call(server.baseUrl, "POST", "/api/fill", "abc");
    await call(server.baseUrl, "POST", "/api/bury", "abc");
    const { values } = await scrape();
    expect(values.get('sluice_queue_depth{queue="waiting"}')).toBe(3);
    expect(values.get('sluice_queue_bytes{queue="waiting"}')).toBeGreaterThan(9);
    expect(values.get("sluice_dead_letters")).toBe(1);
    expect(values.get("sluice_store_writes_total")).toBeGreaterThanOrEqual(4);
  });

  it("reports the status of routes and of the runtime", async () => {
    expect((await scrape()).values.get('sluice_route_started{flow="shop",route="orders"}')).toBe(1);
    await server.api("POST", "/routes/orders/stop");
    const { values, types } = await scrape();
    expect(values.get('sluice_route_started{flow="shop",route="orders"}')).toBe(0);
    expect(values.get("sluice_up")).toBe(1);
    expect(values.get('sluice_info{version="0.1.0"}')).toBe(1);
    expect([types.get("sluice_runs_total"), types.get("sluice_run_duration_seconds"), types.get("sluice_queue_depth")]).toEqual([
      "counter",
      "histogram",
      "gauge",
    ]);
    await server.api("POST", "/routes/orders/start");
  });

  it("reports the process: memory, CPU time, files and event loop delay", async () => {
    await scrape();
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let values: Scrape["values"] = new Map();
    await eventually(async () => {
      // real time: blocks the event loop, again until the histogram of its delay has sampled before and after.
      Atomics.wait(cell, 0, 0, 90);
      ({ values } = await scrape());
      return (values.get("nodejs_eventloop_lag_max_seconds") ?? 0) > 0.04;
    });
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(values.get("process_cpu_user_seconds_total")).toBeGreaterThan(0);
    expect(values.get("process_start_time_seconds")).toBeGreaterThan(1.6e9);
    expect(values.get("process_open_fds")).toBeGreaterThan(3);
  });

  it("does not grow with requests for unknown routes and flows", async () => {
    const series = async (): Promise<number> => (await scrape()).values.size;
    const before = await series();
    for (let count = 0; count < 5; count++) {
      await call(server.baseUrl, "POST", `/api/no-such-${count}`, "x");
      await server.api("GET", `/flows/none-${count}`);
    }
    expect(await series()).toBe(before);
  });
});
