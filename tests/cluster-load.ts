// Sends durable messages through the nodes of a cluster while nodes are killed, and records which messages are accepted and which reach the end of
// the flow.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClusterPartner } from "./cluster-partner.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { eventually, sleep } from "./started-server.ts";

/** Number of messages that a route processes at a time on each node. */
export const concurrency = 8;

export interface ClusterUnderLoad {
  readonly nodes: SpawnedServer[];
  readonly partner: ClusterPartner;
  readonly arrived: ReadonlyMap<string, number>;
  readonly order: readonly string[];
  readonly partnerUrl: string;
  /** Kills a node and starts it again; resolves when it is ready. */
  killAndRestart(index: number): Promise<void>;
  end(): Promise<void>;
}

/** Starts nodes that share a store; `url` is the value of SERVICE_CLUSTER. `envOf` is called for each start of a node. */
export async function clusterUnderLoad(
  url: string,
  count: number,
  env: Readonly<Record<string, string>> = {},
  envOf: (index: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<ClusterUnderLoad> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-cluster-"));
  const partner = await ClusterPartner.open();
  const start = (index: number): Promise<SpawnedServer> =>
    spawnServer({
      dataDir: join(folder, `n${index}`),
      env: {
        SERVICE_CLUSTER: url,
        SERVICE_CLUSTER_REPLICAS: "1",
        SERVICE_CLUSTER_TTL: "5s",
        SERVICE_CLUSTER_SETTLE_MS: "2s",
        SERVICE_NODE: `n${index}`,
        // For flows: settings of the runtime are not visible to them.
        NODE_NAME: `n${index}`,
        ...env,
        ...envOf(index),
      },
    });
  const nodes = await Promise.all(Array.from({ length: count }, (_, index) => start(index)));
  return {
    nodes,
    partner,
    arrived: partner.arrived,
    order: partner.order,
    partnerUrl: partner.url,
    async killAndRestart(index) {
      await nodes[index]?.end("SIGKILL");
      nodes[index] = await start(index);
    },
    async end() {
      for (const node of nodes) await node.end("SIGKILL");
      partner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A durable webhook, a queue, and a partner that is called for each message. */
export const durableFlow = (partnerUrl: string, path = "done"): string => `- route:
    id: in
    from:
      uri: "webhook?durable=true&concurrentConsumers=${concurrency}"
      steps:
        - to: queue:work
- route:
    id: work
    from:
      uri: "queue:work?concurrentConsumers=${concurrency}&maximumRedeliveries=1000&redeliveryDelay=50&maximumRedeliveryDelay=500"
      steps:
        - convertBodyTo: {type: String}
        - to: "${partnerUrl}/${path}?httpMethod=POST"
`;

export interface LoadReport {
  readonly accepted: readonly string[];
  readonly kills: number;
  /** Replies by status; 0 counts calls without a reply. */
  readonly replies: ReadonlyMap<number, number>;
}

/** Posts messages to the nodes in turn while nodes are killed one after another. Runs longer on a slow machine, until there are enough messages and kills. */
export async function loadWithKills(
  cluster: ClusterUnderLoad,
  options: {
    readonly forMs: number;
    readonly minKills: number;
    readonly minAccepted: number;
    readonly killEveryMs: number;
    readonly senders: number;
    readonly pauseMs: number;
    /** Chooses the node to kill; in turn if not given. */
    readonly random?: () => number;
  },
): Promise<LoadReport> {
  const accepted: string[] = [];
  const replies = new Map<number, number>();
  const until = Date.now() + options.forMs;
  let sent = 0;
  let kills = 0;
  // real time: the duration of the load.
  const isOver = (): boolean => Date.now() >= until && kills >= options.minKills && accepted.length >= options.minAccepted;
  const sender = async (): Promise<void> => {
    while (!isOver()) {
      const id = `m${++sent}`;
      const status = await post(cluster.nodes[sent % cluster.nodes.length] as SpawnedServer, "/api/in", id);
      replies.set(status, (replies.get(status) ?? 0) + 1);
      if (status === 202) accepted.push(id);
      // real time: the pace of the load.
      await sleep(options.pauseMs);
    }
  };
  const killer = async (): Promise<void> => {
    const restarting = new Map<number, Promise<void>>();
    for (let turn = 0; !isOver(); turn++) {
      // real time: the pace of the kills.
      await sleep(options.killEveryMs);
      const serving = cluster.nodes.map((_, index) => index).filter((index) => !restarting.has(index));
      // One node always serves: with three nodes, at most two restart at a time.
      if (serving.length < 2) continue;
      const index = serving[options.random === undefined ? turn % serving.length : Math.floor(options.random() * serving.length)] as number;
      kills++;
      restarting.set(
        index,
        cluster.killAndRestart(index).finally(() => restarting.delete(index)),
      );
    }
    await Promise.all(restarting.values());
  };
  await Promise.all([killer(), ...Array.from({ length: options.senders }, sender)]);
  return { accepted, kills, replies };
}

/** The status of the reply, or 0 when there is none. */
export async function post(node: Pick<SpawnedServer, "baseUrl">, path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  try {
    const response = await fetch(node.baseUrl + path, { method: "POST", body, headers, signal: AbortSignal.timeout(60_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

export interface Tally {
  readonly accepted: number;
  readonly lost: readonly string[];
  /** How often accepted messages were processed again. */
  readonly duplicates: number;
  readonly kills: number;
}

/** Waits until every accepted message has arrived, then counts. */
export async function tallyOf(cluster: ClusterUnderLoad, { accepted, kills }: LoadReport, withinMs: number): Promise<Tally> {
  const missing = (): readonly string[] => accepted.filter((id) => !cluster.arrived.has(id));
  await eventually(() => missing().length === 0, withinMs).catch(() => undefined);
  const runs = accepted.reduce((sum, id) => sum + (cluster.arrived.get(id) ?? 0), 0);
  const lost = missing();
  return { accepted: accepted.length, lost, duplicates: runs - (accepted.length - lost.length), kills };
}
