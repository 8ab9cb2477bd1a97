// One correlation id finds all runs that a request caused, including those through direct:, seda:, queue: and wireTap.
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, eventually, followStream, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
  const flow = `
- route: {id: entry, from: {uri: webhook, steps: [{to: "direct:called"}, {to: "seda:later?waitForTaskToComplete=Never"}, {to: "queue:kept"}, {wireTap: {uri: "direct:tapped"}}]}}
- route: {id: called, from: {uri: "direct:called", steps: [{log: called}]}}
- route: {id: later, from: {uri: "seda:later", steps: [{to: "direct:called"}]}}
- route: {id: kept, from: {uri: "queue:kept", steps: [{log: kept}]}}
- route: {id: tapped, from: {uri: "direct:tapped", steps: [{log: tapped}]}}
- route: {id: durable, from: {uri: "webhook?durable=true", steps: [{log: durable}]}}
`;
  const put = await server.putFlow("chain", flow);
  expect(put.status, put.text).toBe(201);
});
afterAll(() => server.end());

const routesOf = async (id: string): Promise<readonly string[]> =>
  (await server.api("GET", `/runs?correlationId=${encodeURIComponent(id)}&limit=100`)).json.runs.map(({ routeId }: { routeId: string }) => routeId).sort();
const allRoutes = ["called", "called", "entry", "kept", "later", "tapped"];

it.each(["X-Correlation-Id", "breadcrumbId", "x-CORRELATION-id"])("the caller's %s finds every run of the chain", async (header) => {
  const id = `order 4711/${header}`;
  await call(server.baseUrl, "POST", "/api/entry", "x", { [header]: id });
  await eventually(async () => (await routesOf(id)).length === allRoutes.length);
  expect(await routesOf(id)).toEqual(allRoutes);
});

it("without a header the id of the first run is used", async () => {
  const { headers } = await call(server.baseUrl, "POST", "/api/entry", "x");
  const id = headers.get("x-run-id") as string;
  await eventually(async () => (await routesOf(id)).length === allRoutes.length);
  expect(await routesOf(id)).toEqual(allRoutes);
});

it("X-Correlation-Id takes precedence over breadcrumbId, and an empty or too long id is ignored", async () => {
  await call(server.baseUrl, "POST", "/api/entry", "x", { "x-correlation-id": "first", breadcrumbId: "second" });
  await eventually(async () => (await routesOf("first")).length === allRoutes.length);
  expect(await routesOf("second")).toEqual([]);
  for (const invalidId of ["", "x".repeat(300)]) {
    const { headers } = await call(server.baseUrl, "POST", "/api/entry", "x", { "x-correlation-id": invalidId });
    const run = (await server.api("GET", `/runs/${headers.get("x-run-id")}`)).json;
    expect(run.correlationId).toBe(run.id);
  }
});

it("a replay, a durable webhook and a test session propagate it, and the trace contains it", async () => {
  const trace = await followStream(server, "/trace/stream?routeId=entry");
  const { headers } = await call(server.baseUrl, "POST", "/api/entry", "x", { "x-correlation-id": "again" });
  await eventually(async () => (await routesOf("again")).length === allRoutes.length);
  await server.api("POST", `/runs/${headers.get("x-run-id")}/replay`, {});
  await eventually(async () => (await routesOf("again")).length === 2 * allRoutes.length);
  await call(server.baseUrl, "POST", "/api/durable", "x", { "x-correlation-id": "on-disk" });
  await eventually(async () => (await routesOf("on-disk")).length === 1);
  const { sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks: [] })).json;
  await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:called", body: "x", headers: { "X-Correlation-Id": "tried" } });
  expect(await routesOf("tried")).toEqual(["called"]);
  await eventually(() => trace.text().includes('"correlationId":"again"'));
  await trace.end();
});
