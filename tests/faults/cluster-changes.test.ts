// Changes and restarts of a cluster under load: no request fails. The load balancer is HAProxy with the configuration in deploy/cluster.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, eventually, replyFlow, sleep } from "../started-server.ts";
import { stores, type ClusterStore } from "./cluster-stores.ts";

const rounds = process.env["SLUICE_QUICK"] === "1" ? 40 : 200;
const hasBalancer = spawnSync("haproxy", ["-v"]).status === 0;
const balancerFile = new URL("../../deploy/cluster/haproxy.cfg", import.meta.url);

const durable = `- route:\n    id: keep\n    from:\n      uri: webhook?durable=true\n      steps:\n        - log: {message: kept, loggingLevel: DEBUG}\n`;

class Cluster {
  readonly nodes: SpawnedServer[] = [];
  readonly store: ClusterStore;
  readonly folder = mkdtempSync(join(tmpdir(), "sluice-rolling-"));
  readonly #ports: number[] = [];
  #endBalancer: () => void = () => undefined;

  constructor(store: ClusterStore) {
    this.store = store;
  }

  async start(index: number): Promise<void> {
    this.#ports[index] ??= await freePort();
    this.nodes[index] = await spawnServer({
      dataDir: join(this.folder, `n${index}`),
      env: {
        SERVICE_CLUSTER: this.store.url,
        SERVICE_CLUSTER_TTL: "5s",
        SERVICE_NODE: `n${index}`,
        SERVICE_PORT: String(this.#ports[index]),
        ...this.store.env,
      },
    });
  }

  /** Starts HAProxy in front of the nodes; returns its address. */
  async startBalancer(): Promise<string> {
    const port = await freePort();
    const file = join(this.folder, "haproxy.cfg");
    const settings = readFileSync(balancerFile, "utf8").replace("bind :8080", `bind 127.0.0.1:${port}`).replace("maxconn 10000", "maxconn 1000");
    writeFileSync(
      file,
      settings.replaceAll(/node-(\d):8080/g, (_, number: string) => `127.0.0.1:${this.#ports[Number(number) - 1]}`),
    );
    const balancer = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
    this.#endBalancer = () => void balancer.kill("SIGKILL");
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => (await call(url, "POST", "/api/plain").catch(() => undefined))?.status === 200);
    return url;
  }

  async end(): Promise<void> {
    this.#endBalancer();
    for (const node of this.nodes) await node.end("SIGKILL");
    await this.store.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function inCluster(open: () => Promise<ClusterStore | undefined>, skip: (note: string) => void, run: (cluster: Cluster) => Promise<void>): Promise<void> {
  const store = await open();
  if (store === undefined) return skip("the store is not installed");
  const cluster = new Cluster(store);
  try {
    await Promise.all([0, 1, 2].map((index) => cluster.start(index)));
    const [first] = cluster.nodes as [SpawnedServer];
    await eventually(async () => (await first.api("GET", "/nodes")).json.nodes.length === 3);
    for (const [id, yaml] of Object.entries({ plain: replyFlow("plain", "0"), keep: durable }))
      expect([id, (await first.putFlow(id, yaml)).json.cluster?.running]).toEqual([id, 3]);
    await run(cluster);
  } catch (error) {
    for (const node of cluster.nodes) console.log(`--- ${node.pid}\n${node.output().slice(-2_000)}`);
    throw error;
  } finally {
    await cluster.end();
  }
}

/** Calls `path` at each address until stopped. */
function callAll(addresses: readonly (() => string)[], path: string, expected: number, pauseMs: number) {
  let isOver = false;
  const failures = new Map<string, number>();
  let calls = 0;
  const running = addresses.map(async (address) => {
    for (; !isOver; calls++, await sleep(pauseMs)) {
      const reply = await call(address(), "POST", path).catch((error: Error) => ({ status: 0, text: String(error.cause ?? error) }));
      if (reply.status === expected) continue;
      const text = `${reply.status} ${reply.text.slice(0, 100)}`;
      failures.set(text, (failures.get(text) ?? 0) + 1);
    }
  });
  return {
    failures,
    calls: () => calls,
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(running);
    },
  };
}

describe.each(Object.entries(stores))("a cluster on %s", (title, open) => {
  it(`fails no request during ${rounds} changes, and every node serves each of them or is reported as behind`, { timeout: 600_000 }, ({ skip }) =>
    inCluster(open, skip, async ({ nodes }) => {
      const load = callAll(
        nodes.map((node) => () => node.baseUrl),
        "/api/plain",
        200,
        10,
      );
      const problems: string[] = [];
      const durations: number[] = [];
      let behind = 0;
      for (let round = 1; round <= rounds; round++) {
        const startTime = performance.now();
        const { status, json } = await (nodes[round % 3] as SpawnedServer).putFlow("plain", replyFlow("plain", String(round)));
        durations.push(performance.now() - startTime);
        if (status !== 200) problems.push(`PUT ${round}: ${status} ${json?.error}`);
        const reportedNodes = new Set<string>((json.cluster?.behind ?? []).map(({ node }: { node: string }) => node));
        behind += reportedNodes.size;
        const served = await Promise.all(nodes.map(async ({ baseUrl }) => (await call(baseUrl, "POST", "/api/plain")).text));
        served.forEach((text, index) => {
          if (text !== String(round) && !reportedNodes.has(`n${index}`)) problems.push(`n${index} serves ${text} after ${round}`);
        });
      }
      await load.stop();
      durations.sort((a, b) => a - b);
      console.log(
        `${title}: ${rounds} changes, p50 ${durations[Math.floor(rounds / 2)]?.toFixed(0)} ms, p99 ${durations[Math.floor(rounds * 0.99)]?.toFixed(0)} ms, ${behind} nodes reported as behind, ${load.calls()} calls, ${load.failures.size} kinds of failures`,
      );
      expect(problems).toEqual([]);
      expect([...load.failures]).toEqual([]);
      expect(load.calls()).toBeGreaterThan(rounds);
    }),
  );

  it.skipIf(!hasBalancer)("fails no request while nodes and store servers are restarted one by one (needs HAProxy)", { timeout: 600_000 }, ({ skip }) =>
    inCluster(open, skip, async (cluster) => {
      const url = await cluster.startBalancer();
      const balanced = Array.from({ length: 6 }, () => () => url);
      const plainLoad = callAll(balanced, "/api/plain", 200, 5);
      const durableLoad = callAll(balanced, "/api/keep", 202, 10);
      for (const index of [0, 1, 2]) {
        await sleep(2_000);
        expect(await cluster.nodes[index]?.end("SIGTERM")).toBe(0);
        await cluster.start(index);
        await eventually(async () => (await (cluster.nodes[index] as SpawnedServer).api("GET", "/health?probe=ready")).status === 200);
      }
      const failedByNodes = plainLoad.failures.size + durableLoad.failures.size;
      for (let server = 0; server < cluster.store.servers; server++) {
        await sleep(3_000);
        await cluster.store.stop(server);
        await sleep(1_000);
        await cluster.store.restart(server);
        await sleep(5_000);
      }
      await Promise.all([plainLoad.stop(), durableLoad.stop()]);
      console.log(
        `${title}, rolling restart: ${plainLoad.calls()} plain calls, ${durableLoad.calls()} durable ones, failures ${JSON.stringify([...plainLoad.failures, ...durableLoad.failures])} (${failedByNodes} kinds during the restarts of nodes)`,
      );
      expect([[...plainLoad.failures], [...durableLoad.failures]]).toEqual([[], []]);
      expect(durableLoad.calls()).toBeGreaterThan(200);
    }),
  );
});
