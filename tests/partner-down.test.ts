// Routes whose partner is down at deployment or startup: they recover by themselves once it is up.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { defineConnector, FlowError, type Source, type SourceInput } from "@sluice/engine/spi";
import { flow } from "@sluice/testkit";
import { eventually, startTestServer, type StartedServer } from "./started-server.ts";

const folders: string[] = [];
const servers: StartedServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sluice-partner-"));
  folders.push(path);
  return path;
}

const reading = (uri: string): string => `- route:
    id: orders
    from:
      uri: "file:${uri}${uri.includes("?") ? "&" : "?"}initialDelay=0&delay=20"
      steps:
        - log: "got \${body}"
`;

const statusOf = async (server: StartedServer) => ((await server.api("GET", "/flows/orders")).json as { status: string; error: string | null }) ?? {};
const healthOf = async (server: StartedServer) => (await server.api("GET", "/health")).json as { status: string; routes: { lastError: string | null }[] };

describe("a partner that is down", () => {
  it("when the process starts does not leave its flow Failed after the partner is up again", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const partner = join(folder(), "in");
    mkdirSync(join(dataDir, "routes"));
    writeFileSync(join(dataDir, "routes", "orders.yaml"), reading(`${partner}?directoryMustExist=true`));
    const server = await startTestServer({ dataDir });
    servers.push(server);
    expect(await statusOf(server)).toMatchObject({ status: "Failed", error: expect.stringContaining("route 'orders' failed to start: the directory") });
    expect(await healthOf(server)).toMatchObject({ status: "DEGRADED", failedFlows: [{ id: "orders" }], routes: [{ status: "Failed" }] });
    mkdirSync(partner);
    writeFileSync(join(partner, "a.txt"), "one");
    await eventually(async () => (await statusOf(server)).status === "Started");
    await eventually(async () => server.logText().includes("got one"));
    expect(await statusOf(server)).toMatchObject({ status: "Started", error: null });
    expect(await healthOf(server)).toMatchObject({ status: "UP", failedFlows: [], routes: [{ status: "Started", lastError: null }] });
  });

  it("when a flow is deployed is a warning, and the route connects later", async () => {
    const server = await startTestServer();
    servers.push(server);
    const blocked = join(folder(), "share");
    writeFileSync(blocked, "in the way of the directory");
    const reply = await server.putFlow("orders", reading(join(blocked, "in")));
    expect([reply.status, reply.json.routes[0].status]).toEqual([201, "Failed"]);
    expect(reply.json.warnings).toEqual([expect.stringMatching(/^route 'orders' cannot connect yet and is retrying: the directory .* ENOTDIR/)]);
    expect((await healthOf(server)).status).toBe("DEGRADED");
    rmSync(blocked);
    await eventually(async () => (await statusOf(server)).status === "Started");
    writeFileSync(join(blocked, "in", "a.txt"), "one");
    await eventually(async () => server.logText().includes("got one"));
    expect((await healthOf(server)).status).toBe("UP");
  });

  it("with a permanent error rejects the deployment immediately", async () => {
    const server = await startTestServer();
    servers.push(server);
    const reply = await server.putFlow("orders", reading(`${join(folder(), "none")}?directoryMustExist=true`));
    expect([reply.status, reply.json.error]).toEqual([422, expect.stringContaining("failed to start")]);
  });
});

/** A source that a test can make fail, disconnect and recover. */
function partner() {
  const state = {
    starts: 0,
    stops: 0,
    failures: 0,
    retryable: true,
    isConsuming: false,
    connecting: undefined as Promise<void> | undefined,
    problemAtStart: undefined as string | undefined,
    routeInput: undefined as SourceInput | undefined,
  };
  const source: Source = {
    claims: [],
    exclusive: true,
    start(routeInput) {
      state.starts++;
      if (state.failures > 0) {
        state.failures--;
        throw new FlowError("java.net.ConnectException", "connection refused", { retryable: state.retryable });
      }
      state.routeInput = routeInput;
      if (state.problemAtStart !== undefined) routeInput.lost(state.problemAtStart);
      const consume = (): void => void (state.isConsuming = true);
      return state.connecting === undefined ? consume() : state.connecting.then(consume);
    },
    stop() {
      state.stops++;
      state.isConsuming = false;
    },
  };
  const connector = defineConnector({
    scheme: "partner",
    title: "Partner",
    summary: "A system that may be down.",
    group: "testing",
    since: "0.1",
    syntax: "partner",
    roles: ["source"],
    path: {},
    options: {},
    headers: {},
    examples: [],
    connect: () => ({ source: () => source }),
  });
  return { state, connectors: [connector] };
}

const consuming = `- route: {id: orders, from: {uri: partner, steps: [{to: "mock:out"}]}}`;

describe("a route that cannot start", () => {
  it("is retried with growing, bounded delays until it starts", async () => {
    const { state, connectors } = partner();
    state.failures = 12;
    const changes: string[] = [];
    const running = await flow(consuming, { connectors, listener: { routeChanged: ({ status }) => void changes.push(status) } });
    const { clock } = running.host;
    const waits: number[] = [];
    for (let from = clock.monotonic(), seen = state.starts; state.failures > 0;) {
      await clock.advance(10);
      if (state.starts === seen) continue;
      seen = state.starts;
      waits.push(clock.monotonic() - from);
      from = clock.monotonic();
    }
    // The fake host's random number is 0.5: each delay is reduced by a quarter.
    expect(waits.slice(0, 4)).toEqual([190, 380, 750, 1500]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    await clock.advance(30_000);
    expect([running.runtime.routes.get("orders")?.status, running.runtime.routes.get("orders")?.problem]).toEqual(["Started", undefined]);
    // Status listeners are not called for every attempt.
    expect(changes).toEqual(["Starting", "Failed", "Started"]);
    await running.stop();
    expect(clock.pending).toBe(0);
  });

  it("runs its source when it is started while a retry is still starting it", async () => {
    const { state, connectors } = partner();
    state.failures = 1;
    const running = await flow(consuming, { connectors });
    const route = running.runtime.routes.get("orders");
    let connect = (): void => undefined;
    state.connecting = new Promise((resolve) => (connect = resolve));
    await running.host.clock.advance(1_000);
    expect([route?.status, state.starts]).toEqual(["Failed", 2]);
    const started = route?.start();
    connect();
    await started;
    expect([route?.status, state.isConsuming]).toEqual(["Started", true]);
    await running.stop();
    expect([state.isConsuming, running.host.clock.pending]).toEqual([false, 0]);
  });

  it("is not retried after it was stopped", async () => {
    const { state, connectors } = partner();
    state.failures = 1000;
    const running = await flow(consuming, { connectors });
    await running.runtime.routes.get("orders")?.stop();
    const before = state.starts;
    await running.host.clock.advance(120_000);
    expect([state.starts, running.host.clock.pending, running.runtime.routes.get("orders")?.status]).toEqual([before, 0, "Stopped"]);
    state.failures = 0;
    await running.runtime.routes.get("orders")?.start();
    expect(running.runtime.routes.get("orders")?.status).toBe("Started");
  });

  it("rejects the deployment when a retry would not help", async () => {
    const { state, connectors } = partner();
    Object.assign(state, { failures: 1, retryable: false });
    await expect(flow(consuming, { connectors })).rejects.toThrow("route 'orders' failed to start: connection refused");
  });

  it("keeps the state that its source reported during the start", async () => {
    const { state, connectors } = partner();
    state.problemAtStart = "broker unreachable";
    const running = await flow(consuming, { connectors });
    const route = running.runtime.routes.get("orders");
    expect([route?.status, route?.problem]).toEqual(["Failed", "broker unreachable"]);
    state.routeInput?.lost(undefined);
    expect([route?.status, route?.problem]).toEqual(["Started", undefined]);
    await route?.stop();
    expect([route?.status, state.stops]).toEqual(["Stopped", 1]);
  });
});
