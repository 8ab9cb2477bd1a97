// A cluster for tests. Its nodes run in this process, except those that a test kills. Leases are long, so that no node loses its slots because the machine
// is busy; the session of a killed node is ended explicitly.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rankedSlots, slotOf } from "../packages/server/src/cluster/slots.ts";
import { ClusterPartner } from "./cluster-partner.ts";
import { endSession, type TestStore } from "./cluster-stores.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { eventually, startTestServer, type ApiReply } from "./started-server.ts";

export interface ClusterNode extends Pick<SpawnedServer, "baseUrl" | "api" | "putFlow" | "output"> {
  /** The process of a node that can be killed. */
  readonly pid: number | undefined;
  /** Stops the node as SIGTERM does. */
  stop(): Promise<void>;
  /** Kills the process; only for a node in a process of its own. */
  kill(): Promise<void>;
}

export interface NodeOptions {
  /** Whether it runs in a process of its own, which a test may kill. */
  readonly isKillable?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestClusterOptions {
  /** Environment variables of all nodes. */
  readonly env?: Readonly<Record<string, string>>;
  /** The nodes `n0`, `n1`, … */
  readonly nodes: readonly NodeOptions[];
}

let clusters = 0;

export class TestCluster {
  readonly nodes: ClusterNode[] = [];
  readonly url: string;
  readonly partner: ClusterPartner;
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-cluster-"));
  readonly #env: Readonly<Record<string, string>>;

  private constructor(url: string, partner: ClusterPartner, env: Readonly<Record<string, string>>) {
    this.url = url;
    this.partner = partner;
    this.#env = env;
  }

  /** Starts a new cluster. The first node takes all slots before the others start; see `idKeptBy`. */
  static async start(store: TestStore, { env = {}, nodes }: TestClusterOptions): Promise<TestCluster> {
    const cluster = new TestCluster(store.urlOf(`c${++clusters}`), await ClusterPartner.open(), env);
    try {
      const [first, ...others] = nodes;
      await cluster.startNode(0, first);
      await eventually(async () => (await cluster.#view()).slotCount === 64);
      await Promise.all(others.map((options, index) => cluster.startNode(index + 1, options)));
      await cluster.waitForNodes(nodes.length);
    } catch (error) {
      await cluster.end();
      throw error;
    }
    return cluster;
  }

  get order(): readonly string[] {
    return this.partner.order;
  }

  get arrived(): ReadonlyMap<string, number> {
    return this.partner.arrived;
  }

  node(index: number): ClusterNode {
    return this.nodes[index] as ClusterNode;
  }

  /** Where the data of a node is. */
  folderOf(index: number): string {
    return join(this.#folder, `n${index}`);
  }

  /** Starts a node, or starts it again on its data. */
  async startNode(index: number, { isKillable = false, env = {} }: NodeOptions = {}): Promise<ClusterNode> {
    const variables = {
      SERVICE_CLUSTER: this.url,
      SERVICE_CLUSTER_REPLICAS: "1",
      SERVICE_CLUSTER_TTL: "60s",
      SERVICE_CLUSTER_SETTLE_MS: "60s",
      SERVICE_CLUSTER_LEAVE_MS: "0",
      SERVICE_NODE: `n${index}`,
      // For flows: settings of the runtime are not visible to them.
      NODE_NAME: `n${index}`,
      ...this.#env,
      ...env,
    };
    const node = await (isKillable ? spawned : local)(this.folderOf(index), variables);
    this.nodes[index] = node;
    return node;
  }

  /** Kills a node; the others consider it dead when this resolves. */
  async kill(index: number): Promise<void> {
    const observer = this.nodes.findIndex((_, other) => other !== index);
    const { nodes } = (await this.node(observer).api("GET", "/nodes")).json as { readonly nodes: readonly { readonly node: string; readonly boot: string }[] };
    const boot = nodes.find(({ node }) => node === `n${index}`)?.boot as string;
    await this.node(index).kill();
    await endSession(this.url, boot);
    await eventually(async () => !(await this.node(observer).api("GET", "/nodes")).text.includes(boot));
  }

  /** Waits until every node sees that all nodes are ready, and which of them holds each slot. */
  async waitForNodes(count: number): Promise<void> {
    for (const index of this.nodes.keys())
      await eventually(async () => {
        const { ready, slotCount } = await this.#view(index);
        return ready === count && slotCount === 64;
      });
  }

  /** Deploys a flow that every node must run. */
  async deploy(index: number, id: string, yaml: string): Promise<ApiReply> {
    const reply = await this.node(index).putFlow(id, yaml);
    const { running, nodes } = reply.json.cluster ?? {};
    if (reply.status >= 300 || running !== nodes) throw new Error(`flow '${id}' does not run on every node: ${reply.status} ${reply.text}`);
    return reply;
  }

  /** Gets a list that contains the data of all nodes: a node that is too busy to respond in time is asked again. */
  async list(index: number, path: string): Promise<any> {
    let json: any;
    await eventually(async () => ({ json } = await this.node(index).api("GET", path)).json.incomplete.length === 0);
    return json;
  }

  async end(): Promise<void> {
    await Promise.all(this.nodes.map((node) => (node.pid === undefined ? node.stop() : node.kill())));
    this.partner.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #view(index = 0): Promise<{ readonly ready: number; readonly slotCount: number }> {
    const { nodes } = (await this.node(index).api("GET", "/nodes")).json as { readonly nodes: readonly { ready: boolean; slots: number[] }[] };
    return { ready: nodes.filter(({ ready }) => ready).length, slotCount: new Set(nodes.flatMap(({ slots }) => slots)).size };
  }
}

async function spawned(dataDir: string, env: Readonly<Record<string, string>>): Promise<ClusterNode> {
  const server = await spawnServer({ dataDir, env });
  const end = async (signal: NodeJS.Signals): Promise<void> => void (await server.end(signal));
  return { ...server, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function local(dataDir: string, env: Readonly<Record<string, string>>): Promise<ClusterNode> {
  mkdirSync(dataDir, { recursive: true });
  const server = await startTestServer({ dataDir, env });
  let stopping: Promise<unknown> | undefined;
  return {
    baseUrl: server.baseUrl,
    api: server.api,
    putFlow: server.putFlow,
    output: server.logText,
    pid: undefined,
    stop: async () => void (await (stopping ??= server.stop())),
    kill: () => Promise.reject(new Error("this node runs in the process of the test: start it with isKillable")),
  };
}

/**
 * An id whose slot stays on the first of these nodes that starts while the others join: the first node of a cluster takes all slots, and gives up the
 * lowest-ranked ones, one per second.
 */
export const idKeptBy = (nodes: string | readonly string[], prefix: string): string => {
  const kept = [nodes].flat().map((node) => new Set(rankedSlots(node).slice(0, 20)));
  return idInSlot((slot) => kept.every((slots) => slots.has(slot)), prefix);
};

/** An id whose slot is the first one that the given node gives up when another node joins. */
export const idGivenUpBy = (node: string, prefix: string): string => idInSlot((slot) => slot === rankedSlots(node).at(-1), prefix);

function idInSlot(accepts: (slot: number) => boolean, prefix: string): string {
  for (let index = 0; ; index++) if (accepts(slotOf(`${prefix}${index}`))) return `${prefix}${index}`;
}
