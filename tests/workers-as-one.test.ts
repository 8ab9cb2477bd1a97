// Two workers behave like one process.
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { callMany, callOnNewConnection, follow, put, route } from "./several-workers.ts";
import { main, spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { eventually, replyFlow, token } from "./started-server.ts";

let server: SpawnedServer;
beforeAll(async () => {
  server = await spawnServer({ env: { SERVICE_WORKERS: "2", SERVICE_RUN_HISTORY: "50" } });
});
afterAll(async () => {
  await server.end();
  server.clean();
});

it("a half-closed client gets the reply of a slow route, whichever worker serves it", async () => {
  const partner = await heldPartner();
  const steps = `to: ${partner.url}`;
  await put(server, "late", route("late", "webhook", steps) + route("held", "webhook?idempotency=true", steps));
  const halfClosed = (path: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
      let reply = "";
      socket.on("data", (chunk) => (reply += chunk.toString("latin1"))).on("close", () => resolve(reply.slice(0, 12)));
      socket.end(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nX-A: \xe9\r\n\r\nx`, "latin1");
    });
  for (const path of ["/api/late", "/api/held"]) {
    const replies = Promise.all(Array.from({ length: 8 }, () => halfClosed(path)));
    await eventually(() => partner.waiting() === 8);
    partner.respond();
    expect(await replies).toEqual(Array.from({ length: 8 }, () => "HTTP/1.1 200"));
  }
  partner.close();
});

it("events of the calls of all workers arrive, each once", async () => {
  await put(server, "ordered", replyFlow("ordered", "x"));
  const { events, close } = await follow(server, "/trace/stream?routeId=ordered&type=run.completed");
  const called: unknown[] = [];
  for (let index = 0; index < 40; index++) called.push((await callOnNewConnection(server.baseUrl, "/api/ordered", String(index))).headers["x-run-id"]);
  await eventually(() => events.length >= 40);
  close();
  // The merge orders what arrives within its window: event-merge.test.ts.
  expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set(called));
  expect(events.length).toBe(called.length);
});

it("the history keeps as many runs of a route as with one worker", async () => {
  await put(server, "kept", replyFlow("kept", "x"));
  const calls = await callMany(70, server.baseUrl, "/api/kept");
  await callMany(70, server.baseUrl, "/api/kept");
  const { json } = await server.api("GET", "/runs?routeId=kept&limit=1000");
  expect([json.total, json.runs.length]).toEqual([50, 50]);
  const earlierIds = new Set(calls.map(({ headers }) => headers["x-run-id"]));
  expect(json.runs.filter((run: { id: string }) => earlierIds.has(run.id))).toEqual([]);
  expect((await server.api("GET", "/runs?routeId=kept&limit=10&status=completed")).json.total).toBe(50);
});

it("tokens with unknown keys cause no more queries to the issuer than with one worker", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "known", alg: "ES256", use: "sig" }] });
  let fetches = 0;
  const issuer = createServer((_request, response) => {
    fetches++;
    response.end(keys);
  }).listen(0, "127.0.0.1");
  await eventually(() => issuer.listening);
  const jwksUri = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;
  await put(server, "guarded", replyFlow("guarded", "in"));
  const policy = { authenticate: [{ type: "jwt", issuer: "https://idp.example.com", audience: "sluice", jwksUri, algorithms: ["ES256"] }] };
  const { status, text } = await server.api("PUT", "/auth/guarded", policy);
  expect([status, text]).toEqual([expect.toSatisfy((code) => code < 300), expect.any(String)]);
  const signed = (kid: string): Promise<string> =>
    new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid })
      .setIssuer("https://idp.example.com")
      .setAudience("sluice")
      .setSubject("ada")
      .setExpirationTime("5m")
      .sign(privateKey);
  for (let index = 0; index < 6; index++)
    expect((await callOnNewConnection(server.baseUrl, "/api/guarded", "x", { authorization: `Bearer ${await signed("known")}` })).status).toBe(200);
  for (let index = 0; index < 30; index++)
    expect((await callOnNewConnection(server.baseUrl, "/api/guarded", "x", { authorization: `Bearer ${await signed(`unknown-${index}`)}` })).status).toBe(401);
  // One process queries once for the first token and five times for unknown keys.
  expect(fetches).toBeLessThanOrEqual(6);
  issuer.close();
});

it("a port in use is reported", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  const { port } = new URL(server.baseUrl);
  const env = { PATH: process.env["PATH"], SERVICE_WORKERS: "2", SERVICE_PORT: port, SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: dataDir };
  const { status, stderr } = spawnSync(process.execPath, [main, "run"], { env, encoding: "utf8", timeout: 300_000 });
  rmSync(dataDir, { recursive: true, force: true });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^sluice run: port ${port} is in use(?: by process \\d+ \\(.+\\))?: .*choose another port with --port \\d+\\n$`)),
  ]);
});
