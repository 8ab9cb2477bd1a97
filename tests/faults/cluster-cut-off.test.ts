// One node that cannot reach the store, while the other nodes can: each effect that docs/operations/cluster.md lists for a disconnected node.
import { createHmac } from "node:crypto";
import { FaultyLink, serverFor, type TestServer } from "@sluice/testkit";
import { expect, it } from "vitest";
import { clusterUnderLoad, durableFlow, post, type ClusterUnderLoad } from "../cluster-load.ts";
import { route } from "../several-workers.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { call, eventually, replyFlow, sleep } from "../started-server.ts";
import { beatFlow, tickFlow } from "./cluster-kills.ts";

interface NodeView {
  readonly slots: readonly number[];
}

const ttlMs = 5_000;
/** How long a request to a durable webhook waits for the store, and how long a request to a flow on another node waits for that node. */
const [storeWaitMs, nodeWaitMs] = [10_000, 15_000];
const slackMs = 8_000;
const recoveryMs = 60_000;
const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
const urls = {
  nats: (port: number): string => `nats://127.0.0.1:${port}/cut`,
  postgres: (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres?cluster=cut`,
} as const;

it.for(Object.keys(urls) as (keyof typeof urls)[])(
  "a node that is cut off from %s behaves as documented, and recovers",
  { timeout: 400_000 },
  async (kind, { skip }) => {
    const server = await serverFor(kind, { own: true });
    if (server === undefined) return skip(`${kind} is not installed`);
    const link = await FaultyLink.to(server);
    const cutNode = 2;
    const loops = new AbortController();
    const cluster = await clusterUnderLoad(urls[kind](server.port), 3, { SIGNING_SECRET: signingSecret }, (index): Record<string, string> =>
      index === cutNode ? { SERVICE_CLUSTER: urls[kind](link.port) } : {},
    );
    try {
      await check(cluster, link, cutNode, loops);
    } catch (error) {
      for (const [index, node] of cluster.nodes.entries()) console.log(`--- n${index}\n${node.output().slice(-3_000)}`);
      throw error;
    } finally {
      loops.abort();
      await cluster.end();
      await link.close();
      await (server as TestServer).end();
    }
  },
);

async function check({ nodes, partner, partnerUrl }: ClusterUnderLoad, link: FaultyLink, cutNode: number, loops: AbortController): Promise<void> {
  const cut = nodes[cutNode] as SpawnedServer;
  const connected = nodes.filter((node) => node !== cut);
  const [one] = connected as [SpawnedServer];
  await eventually(async () => (await one.api("GET", "/nodes")).json.nodes.length === 3);
  const tied = (id: string): string => route(id, "webhook", "throttle: {constant: 1000}", "setBody: {constant: tied}");
  const flows = {
    plain: replyFlow("plain", "on"),
    load: durableFlow(partnerUrl),
    signed: replyFlow("signed", "welcome"),
    ticks: tickFlow(partnerUrl),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`beat${index}`, beatFlow(partnerUrl, `beat${index}`)])),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`tied${index}`, tied(`tied${index}`)])),
  };
  for (const [id, yaml] of Object.entries(flows)) expect([id, (await one.putFlow(id, yaml)).json.cluster?.running]).toEqual([id, 3]);
  const policy = { authenticate: [{ type: "hmac", preset: "slack", secrets: [{ env: "SIGNING_SECRET" }] }] };
  expect((await one.api("PUT", "/auth/signed", policy)).status).toBe(201);
  const send = async (node: SpawnedServer, body: string): Promise<number> => {
    const time = String(Math.floor(Date.now() / 1_000));
    const signature = `v0=${createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex")}`;
    return (await call(node.baseUrl, "POST", "/api/signed", body, { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature })).status;
  };
  // All nodes have slots, and the cut node has some of the schedules: otherwise the check would prove nothing.
  await eventually(() => partner.beats.some(({ node }) => node === `n${cutNode}`) && partner.ticks.size > 2, recoveryMs);
  await eventually(async () => (await one.api("GET", "/nodes")).json.nodes.every(({ slots }: NodeView) => slots.length > 15), recoveryMs);
  const remoteFlow = await flowOnOtherNode(one, cut);

  const failed: string[] = [];
  const plain = nodes.map(async ({ baseUrl }, index) => {
    for (; !loops.signal.aborted; await sleep(20)) {
      const text = await call(baseUrl, "POST", "/api/plain").then(({ status, text: body }) => `${status} ${body}`, String);
      if (text !== "200 on") failed.push(`n${index}: ${text}`);
    }
  });
  const accepted: string[] = [];
  const durable = connected.map(async (node, index) => {
    for (let sent = 0; !loops.signal.aborted; sent++, await sleep(50))
      if ((await post(node, "/api/in", `c${index}-${sent}`)) === 202) accepted.push(`c${index}-${sent}`);
  });
  const cutAt = performance.now();
  await link.refuse();

  // Durable webhooks: a reply within the limit, 503 with Retry-After, never 202. Other nodes still accept.
  const [refused, forwarded] = await Promise.all([
    timed(() => call(cut.baseUrl, "POST", "/api/in", "refused")),
    timed(() => call(cut.baseUrl, "POST", `/api/${remoteFlow}`, "x")),
  ]);
  expect([refused.reply.status, refused.reply.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(refused.ms).toBeLessThan(storeWaitMs + slackMs);
  // Flows on other nodes: 503 after the wait.
  expect([forwarded.reply.status, forwarded.reply.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(forwarded.ms).toBeLessThan(nodeWaitMs + slackMs);
  // Single-use signatures fail closed.
  expect([await send(cut, "while cut"), await send(one, "elsewhere")]).toEqual([503, 200]);
  // The API serves reads from local state, and rejects changes.
  expect((await cut.api("GET", "/flows")).json.flows).toHaveLength(Object.keys(flows).length);
  const put = await cut.putFlow("plain", replyFlow("plain", "changed"));
  expect([put.status, put.json.error]).toEqual([503, expect.stringContaining("cluster store unreachable")]);
  const health = (await cut.api("GET", "/health")).json;
  expect([health.status, health.cluster.connectivity]).toEqual(["DEGRADED", "disconnected"]);
  expect((await call(cut.baseUrl, "GET", "/_api/health?probe=ready")).status).toBe(200);
  // The other nodes treat the cut node as dead: a change reaches two nodes, and these hold all slots.
  await eventually(async () => (await one.api("GET", "/nodes")).json.total === 2, ttlMs + slackMs);
  const change = await one.putFlow("added", replyFlow("added", "new"));
  expect([change.status, change.json.cluster]).toMatchObject([201, { nodes: 2, running: 2, behind: [] }]);
  await eventually(async () => slotsOf(await one.api("GET", "/nodes")) === 64, recoveryMs);
  // The schedules of the cut node stopped at two thirds of the TTL, before the other nodes could take over.
  const ownBeats = partner.beats.filter(({ node, at }) => node === `n${cutNode}` && at > cutAt);
  expect(Math.max(0, ...ownBeats.map(({ at }) => at - cutAt))).toBeLessThan((ttlMs * 2) / 3 + 2_000);
  const beatsBefore = partner.beats.length;
  await sleep(2_000);
  expect(new Set(partner.beats.slice(beatsBefore).map(({ schedule }) => schedule)).size).toBe(6);
  expect(partner.beats.slice(beatsBefore).filter(({ node }) => node === `n${cutNode}`)).toEqual([]);

  // Recovery: the cut node catches up without a restart.
  await link.open();
  await eventually(async () => (await cut.api("GET", "/health")).json.cluster.connectivity === "connected", recoveryMs);
  await eventually(async () => (await call(cut.baseUrl, "POST", "/api/added")).text === "new", recoveryMs);
  await eventually(async () => (await post(cut, "/api/in", "after")) === 202, recoveryMs);
  await eventually(async () => (await send(cut, `after ${Math.random()}`)) === 200, recoveryMs);
  await eventually(async () => (await call(cut.baseUrl, "POST", `/api/${remoteFlow}`, "x")).text === "tied", recoveryMs);
  await eventually(async () => (await cut.putFlow("plain", replyFlow("plain", "on"))).status === 200, recoveryMs);
  const resumed = performance.now();
  await eventually(() => partner.beats.some(({ node, at }) => node === `n${cutNode}` && at > resumed), recoveryMs);
  loops.abort();
  await Promise.all([...plain, ...durable]);
  await eventually(() => accepted.every((id) => partner.arrived.has(id)) && partner.arrived.has("after"), recoveryMs);
  expect(accepted.length).toBeGreaterThan(50);
  expect(failed).toEqual([]);
  expect(partner.repeatedTicks()).toEqual([]);
  expect(partner.doubleHolders()).toEqual([]);
}

const slotsOf = ({ json }: { readonly json: any }): number => new Set(json.nodes.flatMap(({ slots }: NodeView) => slots)).size;

async function timed<T>(run: () => Promise<T>): Promise<{ readonly reply: T; readonly ms: number }> {
  const startedAt = performance.now();
  return { reply: await run(), ms: performance.now() - startedAt };
}

/** The id of a flow that runs on a single node other than `cut`. */
async function flowOnOtherNode(one: SpawnedServer, cut: SpawnedServer): Promise<string> {
  const cutName = (await cut.api("GET", "/health")).json.cluster.node;
  for (let index = 0; index < 6; index++) {
    expect((await call(cut.baseUrl, "POST", `/api/tied${index}`, "x")).text).toBe("tied");
    const { runs } = (await one.api("GET", `/runs?routeId=tied${index}&limit=1`)).json;
    if (runs[0].node !== cutName) return `tied${index}`;
  }
  throw new Error("all six flows run on the node that is cut off");
}
