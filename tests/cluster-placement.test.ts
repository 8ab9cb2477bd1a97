// Which nodes of a cluster run a source: one node for `master:`, the same node for the same name, and the nodes that `sluice.placement` selects.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSlotsHeld } from "./cluster-groups.ts";
import { clusterUnderLoad, post, type ClusterUnderLoad } from "./cluster-load.ts";
import { startStore } from "./cluster-stores.ts";
import type { SpawnedServer } from "./spawned-server.ts";
import { eventually, sleep } from "./started-server.ts";

const { title, server, urlOf } = await startStore("placement");

describe.skipIf(server === undefined)(`the node of a source (needs ${title})`, () => {
  const store = server as TestServer;
  let cluster: ClusterUnderLoad;
  const node = (index: number): SpawnedServer => cluster.nodes[index] as SpawnedServer;
  /** The nodes that called the partner for a schedule after this time. */
  const nodesOf = (schedule: string, after = 0): readonly string[] =>
    [...new Set(cluster.partner.beats.filter((beat) => beat.schedule === schedule && beat.at > after).map((beat) => beat.node))].toSorted();
  const beats = (schedule: string, after = 0): number => cluster.partner.beats.filter((beat) => beat.schedule === schedule && beat.at > after).length;
  const timer = (id: string, uri: string): string =>
    `- route: {id: ${id}, from: {uri: "${uri}", steps: [{to: "${cluster.partnerUrl}/beat?schedule=${id}&node={{env:NODE_NAME}}"}]}}\n`;
  const deploy = async (id: string, yaml: string, params: Readonly<Record<string, string>> = {}): Promise<void> => {
    const put = await node(0).api("PUT", `/flows/${id}`, { yaml, params });
    expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
  };

  beforeAll(async () => {
    cluster = await clusterUnderLoad(urlOf(store), 3);
    await eventually(() => allSlotsHeld(node(0)), 60_000);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.end();
  });

  it("is the same for all routes with the same name, and requests reach it through every node", async () => {
    await deploy("first", timer("first", "master:lock:timer:tick?delay=0&period=300"));
    await deploy("second", timer("second", "master:lock:timer:tick?delay=0&period=1000"));
    await deploy("hook", '- route: {id: hook, from: {uri: "master:lock:webhook", steps: [{setBody: {constant: "{{env:NODE_NAME}}"}}]}}\n');
    await eventually(() => beats("first") >= 10 && beats("second") >= 4, 30_000);
    expect(nodesOf("first")).toHaveLength(1);
    expect(nodesOf("second")).toEqual(nodesOf("first"));
    const replies = await Promise.all(cluster.nodes.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/api/hook`, { method: "POST", body: "x" })).text()));
    expect(replies.map((text) => text.replaceAll('"', ""))).toEqual(Array(3).fill(nodesOf("first")[0]));
    expect(cluster.partner.doubleHolders()).toEqual([]);
  });

  it("is every node with sluice.placement=all, and one with sluice.placement=one", async () => {
    await deploy("everywhere", timer("everywhere", "timer:tick?delay=0&period=1000"), { "sluice.placement": "all" });
    await eventually(() => nodesOf("everywhere").length === 3, 20_000);
    const replySteps = "steps: [{setBody: {constant: '{{env:NODE_NAME}}'}}]";
    await deploy("single", `- route: {id: single, from: {uri: webhook, ${replySteps}}}\n`, { "sluice.placement": "one" });
    const replies = await Promise.all(cluster.nodes.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/api/single`, { method: "POST", body: "x" })).text()));
    expect(new Set(replies).size).toBe(1);
    expect(replies[0]).toMatch(/n[012]/);
    const wrong = await node(1).api("PUT", "/flows/single", {
      yaml: `- route: {id: single, from: {uri: webhook, ${replySteps}}}\n`,
      params: { "sluice.placement": "two" },
    });
    expect([wrong.status, JSON.stringify(wrong.json)]).toEqual([expect.any(Number), expect.stringContaining("allowed: auto, one, all")]);
    expect(wrong.status).toBeGreaterThanOrEqual(400);
  });

  it("is replaced by another node when it is killed", async () => {
    const [holder] = nodesOf("first");
    const killed = Number((holder as string).slice(1));
    await node(killed).end("SIGKILL");
    const at = performance.now();
    await sleep(500);
    await eventually(() => beats("first", at + 500) >= 5 && beats("second", at + 500) >= 3, 40_000);
    const [next] = nodesOf("first", at + 500);
    expect(next).not.toBe(holder);
    expect([nodesOf("first", at + 500), nodesOf("second", at + 500)]).toEqual([[next], [next]]);
    await eventually(async () => (await post(node((killed + 1) % 3), "/api/hook", "x")) === 200, 20_000);
  });
});
