// Limits of webhooks and the http step: replies that clients cannot accept, and flows that call themselves over HTTP.
import { afterAll, beforeAll, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { call, startTestServer, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.end());

const route = (id: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
const lastRun = async (id: string): Promise<any> => (await server.api("GET", `/runs?routeId=${id}&limit=1`)).json.runs[0];

it("a reply header of more than 16 KiB fails the run with 500 and is not sent", async () => {
  const header = (length: number): string => `setHeader: {name: X-Long, constant: "${"y".repeat(length)}"}`;
  await server.putFlow("long", route("long", header(100_000)) + route("short", header(16_000)));
  const reply = await call(server.baseUrl, "POST", "/api/long", "x");
  const run = await lastRun("long");
  expect([reply.status, reply.json]).toEqual([500, { error: `route 'long' failed (run ${run.id})` }]);
  expect(reply.headers.get("x-long")).toBeNull();
  expect(run).toMatchObject({ status: "failed", error: { message: "size limit: response header 'X-Long' is longer than 16384 characters" } });
  expect((await call(server.baseUrl, "POST", "/api/short", "x")).headers.get("x-long")).toHaveLength(16_000);
});

it("a flow that calls its own webhook over HTTP is stopped after 20 hops", async () => {
  const step = (path: string): string => `to: {uri: "${server.baseUrl}/api/${path}"}`;
  await server.putFlow("loop", route("loop", step("loop")) + route("ping", step("pong")) + route("pong", step("ping")));
  for (const id of ["loop", "ping"]) {
    const reply = await call(server.baseUrl, "POST", `/api/${id}`, "x");
    expect(reply.status).toBe(500);
  }
  const { runs, total } = (await server.api("GET", "/runs?routeId=loop")).json as { runs: { error: { message: string } }[]; total: number };
  expect(total).toBe(21);
  expect(JSON.stringify(runs)).toContain("508");
});

it("flows may call each other, and partners receive the hop count", async () => {
  const partner = await stubPartner();
  await server.putFlow("chain", route("first", `to: {uri: "${server.baseUrl}/api/second"}`) + route("second", `to: {uri: "${partner.url}/"}`));
  expect((await call(server.baseUrl, "POST", "/api/first", "x")).text).toBe("fine");
  expect(partner.calls.map(({ headers }) => headers["sluice-http-hops"])).toEqual(["2"]);
  await partner.close();
});

it("health and metrics show the bytes of request bodies held in memory", async () => {
  const partner = await heldPartner();
  await server.putFlow("waits", route("waits", `to: "${partner.url}"`));
  const waiting = call(server.baseUrl, "POST", "/api/waits", "x".repeat(300_000));
  await expect.poll(async () => (await server.api("GET", "/health")).json.http.bodyBytesHeld).toBe(300_000);
  expect((await server.api("GET", "/metrics")).text).toMatch(/^sluice_http_body_bytes_held 300000$/m);
  await expect.poll(() => partner.waiting()).toBe(1);
  partner.respond();
  expect((await waiting).text).toBe("partner");
  await expect
    .poll(async () => (await server.api("GET", "/health")).json.http)
    .toMatchObject({ bodyBytesHeld: 0, bodiesRefused: 0, replyBytesUnsent: 0, slowReadersCut: 0 });
  partner.close();
});

it("a run that continues after 202 or 504 holds its body until it ends", async () => {
  const partner = await heldPartner();
  const yaml = (id: string, parameters: string): string =>
    route(id, `to: "${partner.url}"`).replace("uri: webhook", `uri: webhook\n      parameters: {${parameters}}`);
  await server.putFlow("later", yaml("async", "async: true") + yaml("slow", "requestTimeout: 100"));
  for (const [id, status] of [
    ["async", 202],
    ["slow", 504],
  ] as const) {
    expect((await call(server.baseUrl, "POST", `/api/${id}`, "x".repeat(200_000))).status).toBe(status);
    expect((await server.api("GET", "/health")).json.http.bodyBytesHeld).toBe(200_000);
    await expect.poll(() => partner.waiting()).toBe(1);
    partner.respond();
    await expect.poll(async () => (await server.api("GET", "/health")).json.http.bodyBytesHeld).toBe(0);
  }
  partner.close();
});
