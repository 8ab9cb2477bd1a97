// SERVICE_WORKERS in a cluster: one command starts several equal nodes behind one port. Uses real processes and a NATS server.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { durableFlow } from "./cluster-load.ts";
import { idKeptBy } from "./cluster-nodes.ts";
import { ClusterPartner } from "./cluster-partner.ts";
import { callMany, callOnNewConnection, isAlive, route } from "./several-workers.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { eventually, token } from "./started-server.ts";

interface NodeView {
  readonly node: string;
  readonly boot: string;
  readonly ready: boolean;
  readonly slots: readonly number[];
}

const names = ["left/1", "left/2"];
const slotCount = 64;
const nats = await serverFor("nats", { own: true });

describe.skipIf(nats === undefined)("workers in a cluster (needs NATS)", () => {
  const store = nats as TestServer;
  const folder = mkdtempSync(join(tmpdir(), "sluice-cluster-"));
  const dataDir = join(folder, "left");
  let server: SpawnedServer;
  let partner: ClusterPartner;

  const start = (name: string, env: Readonly<Record<string, string>> = {}): Promise<SpawnedServer> =>
    spawnServer({
      dataDir: join(folder, name),
      env: {
        SERVICE_CLUSTER: `nats://${store.host}:${store.port}/workers`,
        SERVICE_CLUSTER_REPLICAS: "1",
        SERVICE_CLUSTER_TTL: "10s",
        SERVICE_CLUSTER_LEAVE_MS: "500",
        SERVICE_DRAIN_MS: "60s",
        SERVICE_NODE: name,
        SERVICE_WORKERS: "2",
        ...env,
      },
    });
  /** A call of the API on a separate connection, so that each call may reach a different worker. */
  const api = async (method: string, path: string, body?: unknown): Promise<any> => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await callOnNewConnection(server.baseUrl, `/_api${path}`, body === undefined ? "" : JSON.stringify(body), headers, method);
    return JSON.parse(reply.body);
  };
  const nodes = async (): Promise<readonly NodeView[]> => (await api("GET", "/nodes")).nodes;
  const isComplete = async (): Promise<boolean> => {
    const ready = (await nodes().catch(() => [])).filter((node) => node.ready);
    return ready.map(({ node }) => node).join() === names.join();
  };
  const workerPids = (): readonly number[] =>
    readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

  beforeAll(async () => {
    partner = await ClusterPartner.open();
    server = await start("left");
  });
  afterAll(async () => {
    await server?.end("SIGKILL");
    partner?.close();
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it("starts equal nodes, each with its own session and data folder", async () => {
    await eventually(isComplete);
    expect(new Set((await nodes()).map(({ boot }) => boot)).size).toBe(2);
    expect(workerPids()).toHaveLength(2);
    expect(
      server
        .output()
        .split("\n")
        .filter((line) => line.startsWith('{"baseUrl"')),
    ).toHaveLength(1);
    for (const worker of ["worker-1", "worker-2"]) expect(readdirSync(join(dataDir, worker))).toContain("cluster-boot");
    // A call reaches any of the nodes, and the reply names the node that replied.
    const replied = new Set<string>();
    await eventually(async () => {
      const { cluster, workers } = await api("GET", "/health");
      expect([cluster.nodes.map(({ node }: NodeView) => node), workers]).toEqual([names, undefined]);
      return replied.add(cluster.node).size === 2;
    });
    // Each node learns that the other is ready from its next heartbeat.
    await eventually(async () => {
      const { text } = await server.api("GET", "/metrics");
      return names.every((name) => text.includes(`sluice_cluster_node_ready{node="${name}"} 1\n`));
    });
    await eventually(async () => (await server.api("GET", "/metrics?scope=cluster")).text.includes("\nsluice_cluster_nodes 2\n"));
  });

  it("applies a change on every worker, and all of them serve requests", async () => {
    const put = await api("PUT", "/flows/greet", { yaml: route("greet", "webhook", `setBody: {simple: "\${body} is served"}`) });
    expect(put.cluster).toEqual({ revision: put.revision, nodes: 2, running: 2, behind: [] });
    for (const { status, body } of await callMany(40, server.baseUrl, "/api/greet")) expect([status, body.endsWith(" is served")]).toEqual([200, true]);
    const { runs, incomplete } = await api("GET", "/runs?routeId=greet&limit=100");
    expect([runs.length, incomplete ?? []]).toEqual([40, []]);
    expect([...new Set<string>(runs.map(({ node }: NodeView) => node))].toSorted()).toEqual(names);
  });

  it("every worker uses the operator's files in the data directory", async () => {
    mkdirSync(join(folder, "right"));
    writeFileSync(join(folder, "right", "application.properties"), "greeting=hello\n");
    const right = await start("right", { SERVICE_CLUSTER: `nats://${store.host}:${store.port}/files` });
    try {
      const tests = 'flow: flow.yaml\ntests:\n  - name: greets\n    when: {webhook: polite, body: Ada}\n    then:\n      - reply: {body: "hello Ada"}\n';
      const put = await right.api("PUT", "/flows/polite?tests=required", {
        yaml: route("polite", "webhook", `setBody: {simple: "{{greeting}} \${body}"}`),
        tests,
      });
      expect([put.json.error, put.json.cluster]).toMatchObject([undefined, { nodes: 2, running: 2 }]);
      for (const { body } of await callMany(10, right.baseUrl, "/api/polite")) expect(body).toMatch(/^hello \d$/);
    } finally {
      expect(await right.end()).toBe(0);
    }
  });

  it("forwards the requests of a flow that runs on one node to the worker that holds it", async () => {
    const tied = idKeptBy(names, "tied");
    const put = await api("PUT", `/flows/${tied}`, { yaml: route(tied, "webhook", "throttle: {constant: 1000}", "setBody: {constant: done}") });
    expect(put.cluster).toMatchObject({ nodes: 2, running: 2 });
    for (const { status, body } of await callMany(20, server.baseUrl, `/api/${tied}`)) expect([status, body]).toEqual([200, "done"]);
    const { runs } = await api("GET", `/runs?routeId=${tied}&limit=100`);
    expect([runs.length, new Set(runs.map(({ node }: NodeView) => node)).size]).toEqual([20, 1]);
  });

  it("reports every queue in the metrics of the cluster, whichever worker replies", async () => {
    expect((await api("PUT", "/flows/hold", { yaml: route("hold", "webhook", "to: queue:idle") })).cluster).toMatchObject({ running: 2 });
    for (const { status } of await callMany(3, server.baseUrl, "/api/hold")) expect(status).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    const replies = await Promise.all(Array.from({ length: 8 }, () => callOnNewConnection(server.baseUrl, "/_api/metrics?scope=cluster", "", headers, "GET")));
    expect(replies.map(({ body }) => /sluice_queue_depth\{queue="idle"\} (\d+)/.exec(body)?.[1])).toEqual(Array(8).fill("3"));
  });

  it("restarts a worker that is killed; its slots are taken over, and no durable message is lost", async () => {
    expect((await api("PUT", "/flows/load", { yaml: durableFlow(partner.url) })).cluster).toMatchObject({ running: 2 });
    const accepted: string[] = [];
    const replies = new Map<number, number>();
    let isOver = false;
    let sent = 0;
    const senders = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const id = `m${++sent}`;
        const status = await callOnNewConnection(server.baseUrl, "/api/in", id).then(
          (reply) => reply.status,
          () => 0,
        );
        replies.set(status, (replies.get(status) ?? 0) + 1);
        if (status === 202) accepted.push(id);
      }
    });
    const waitForAccepted = (count: number): Promise<void> => {
      const until = accepted.length + count;
      return eventually(() => accepted.length >= until);
    };
    await waitForAccepted(30);
    const [killed] = workerPids() as readonly [number, number];
    const boots = new Set((await nodes()).map(({ boot }) => boot));
    process.kill(killed, "SIGKILL");
    await waitForAccepted(30);
    await eventually(async () => !isAlive(killed) && (await isComplete()) && (await nodes()).some(({ boot }) => !boots.has(boot)));
    expect(workerPids()).toHaveLength(2);
    isOver = true;
    await Promise.all(senders);
    // The messages that the killed worker was processing are delivered again when their lease is over.
    await eventually(() => accepted.every((id) => partner.arrived.has(id)));
    // A connection breaks only with the worker that serves it.
    expect([...replies.keys()].filter((status) => status !== 202 && status !== 0)).toEqual([]);
    await eventually(async () => new Set((await nodes()).flatMap(({ slots }) => slots)).size === slotCount);
    expect(server.output()).toMatch(/Node 'left\/[12]' \(process \d+\) exited \(SIGKILL\); starting a replacement/);
    expect(server.output()).not.toContain("no handler for");
  });

  it("drains every worker on SIGTERM and exits with 0", async () => {
    await api("PUT", "/flows/slow", { yaml: route("slow", "webhook", `to: "${partner.url}/held?httpMethod=POST"`, "setBody: {constant: finished}") });
    partner.isHolding = true;
    const before = partner.order.length;
    const slow = callMany(12, server.baseUrl, "/api/slow");
    await eventually(() => partner.order.length === before + 12);
    const pids = workerPids();
    const ended = server.end("SIGTERM");
    await eventually(async () => (await callOnNewConnection(server.baseUrl, "/_api/health?probe=ready", "", {}, "GET")).status === 503);
    partner.releaseHeld();
    expect((await slow).map(({ status, body }) => `${status} ${body}`)).toEqual(Array(12).fill("200 finished"));
    expect(await ended).toBe(0);
    expect(pids.map(isAlive)).toEqual([false, false]);
    // The sessions are closed: a restart does not wait for the TTL.
    server = await start("left");
    await eventually(isComplete);
    expect(server.output()).not.toContain("is already in the cluster");
    expect((await callOnNewConnection(server.baseUrl, "/api/greet", "after")).body).toBe("after is served");
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
