// Aggregates in a cluster: the messages of open groups are in the store, and a node that dies loses none of them.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSlotsHeld, arrivedGroups, groupFlow, type ArrivedGroup } from "./cluster-groups.ts";
import { clusterUnderLoad, post, type ClusterUnderLoad } from "./cluster-load.ts";
import { startStore } from "./cluster-stores.ts";
import type { SpawnedServer } from "./spawned-server.ts";
import { eventually, sleep } from "./started-server.ts";

const { title, server, urlOf } = await startStore("groups");

describe.skipIf(server === undefined)(`aggregates in a cluster (needs ${title})`, () => {
  const store = server as TestServer;
  let cluster: ClusterUnderLoad;
  const node = (index: number): SpawnedServer => cluster.nodes[index] as SpawnedServer;
  const groups = (prefix: string): readonly ArrivedGroup[] => arrivedGroups(cluster.order, prefix);
  const send = async (target: string, prefix: string, numbers: readonly number[], from = [0, 1, 2]): Promise<void> => {
    for (const number of numbers)
      expect(await post(node(from[number % from.length] as number), `/api/${target}`, `${prefix}/${number}`)).toBe(target === "durable" ? 202 : 200);
  };
  let groupNames = 0;
  /** A retried test must not see the groups of its first attempt. */
  const newGroupPrefix = (name: string): string => `${name}${++groupNames}-`;
  /** The node that groups the messages of a flow. */
  const groupingNode = async (target: string, size: number): Promise<number> => {
    const prefix = newGroupPrefix("find");
    await send(
      target,
      prefix,
      Array.from({ length: size }, (_, number) => number),
    );
    await eventually(() => groups(prefix).length === 1, 30_000);
    return Number((groups(prefix)[0] as ArrivedGroup).node.slice(1));
  };
  beforeAll(async () => {
    cluster = await clusterUnderLoad(urlOf(store), 3);
    await eventually(() => allSlotsHeld(node(0)), 60_000);
    const flows = {
      durable: groupFlow("durable", "completionSize: 4", `${cluster.partnerUrl}/done`, "webhook?durable=true&concurrentConsumers=8"),
      size: groupFlow("size", "completionSize: 4", `${cluster.partnerUrl}/done`),
      idle: groupFlow("idle", "completionTimeout: 4000", `${cluster.partnerUrl}/done`),
      held: groupFlow("held", "completionSize: 4", `${cluster.partnerUrl}/held`),
    };
    for (const [id, flow] of Object.entries(flows)) {
      const put = await node(0).putFlow(id, flow);
      expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
    }
  }, 120_000);
  afterAll(async () => {
    await cluster?.end();
    await store.end();
  });

  it("groups the messages that all nodes accept, each in one group", async () => {
    const prefix = newGroupPrefix("all");
    await send(
      "durable",
      prefix,
      Array.from({ length: 40 }, (_, number) => number),
    );
    await eventually(() => groups(prefix).length === 10, 30_000);
    await sleep(500);
    expect(groups(prefix).map(({ completedBy, isRepeated, messages }) => [completedBy, isRepeated, messages.length])).toEqual(
      Array.from({ length: 10 }, () => ["size", false, 4]),
    );
    expect(
      groups(prefix)
        .flatMap(({ messages }) => messages)
        .toSorted(),
    ).toEqual(Array.from({ length: 40 }, (_, number) => `${prefix}/${number}`).toSorted());
    expect(new Set(groups(prefix).map(({ node: name }) => name)).size).toBe(1);
  });

  it("completes a group on another node with all its messages when its node is killed", async () => {
    const prefix = newGroupPrefix("half");
    const holder = await groupingNode("size", 4);
    await send("size", prefix, [0, 1]);
    await sleep(300);
    await node(holder).end("SIGKILL");
    const others = [0, 1, 2].filter((index) => index !== holder);
    await send("size", prefix, [2, 3], others);
    await eventually(() => groups(prefix).length > 0, 40_000);
    expect(groups(prefix)[0]?.messages).toEqual([`${prefix}/0`, `${prefix}/1`, `${prefix}/2`, `${prefix}/3`]);
    expect([groups(prefix).length, groups(prefix)[0]?.isRepeated, groups(prefix)[0]?.node === `n${holder}`]).toEqual([1, false, false]);
    await cluster.killAndRestart(holder);
    await eventually(() => allSlotsHeld(node(holder)), 60_000);
  }, 120_000);

  it("completes a group by timeout once, on another node, when its node is killed", async () => {
    const prefix = newGroupPrefix("quiet");
    const holder = await groupingNode("idle", 1);
    await send("idle", prefix, [0, 1, 2]);
    await node(holder).end("SIGKILL");
    await eventually(() => groups(prefix).length > 0, 40_000);
    await sleep(5_000);
    expect(groups(prefix).map(({ completedBy, messages }) => [completedBy, messages])).toEqual([["timeout", [`${prefix}/0`, `${prefix}/1`, `${prefix}/2`]]]);
    await cluster.killAndRestart(holder);
    await eventually(() => allSlotsHeld(node(holder)), 60_000);
  }, 120_000);

  it("completes a group once when its node is suspended and continues later", async () => {
    const prefix = newGroupPrefix("asleep");
    const holder = await groupingNode("size", 4);
    await send("size", prefix, [0, 1, 2]);
    await sleep(300);
    process.kill(node(holder).pid, "SIGSTOP");
    const others = [0, 1, 2].filter((index) => index !== holder);
    await send("size", prefix, [3], others);
    await eventually(() => groups(prefix).length > 0, 40_000);
    process.kill(node(holder).pid, "SIGCONT");
    await eventually(() => allSlotsHeld(node(holder)), 60_000);
    await send("size", prefix, [4, 5, 6, 7]);
    await eventually(() => groups(prefix).length > 1, 30_000);
    await sleep(2_000);
    expect(groups(prefix).map(({ isRepeated, messages }) => [isRepeated, messages])).toEqual([
      [false, [`${prefix}/0`, `${prefix}/1`, `${prefix}/2`, `${prefix}/3`]],
      [false, [`${prefix}/4`, `${prefix}/5`, `${prefix}/6`, `${prefix}/7`]],
    ]);
  }, 120_000);

  it("runs a completed group again, marked as repeated, when its node is killed during the run", async () => {
    const prefix = newGroupPrefix("cut");
    const holder = await groupingNode("held", 4);
    cluster.partner.isHolding = true;
    await send("held", prefix, [0, 1, 2, 3]);
    await eventually(() => groups(prefix).length === 1);
    await send("held", prefix, [4]);
    await node(holder).end("SIGKILL");
    cluster.partner.isHolding = false;
    await eventually(() => groups(prefix).length === 2, 40_000);
    const others = [0, 1, 2].filter((index) => index !== holder);
    await send("held", prefix, [5, 6, 7], others);
    await eventually(() => groups(prefix).length === 3, 40_000);
    expect(groups(prefix).map(({ isRepeated, messages }) => [isRepeated, messages])).toEqual([
      [false, [`${prefix}/0`, `${prefix}/1`, `${prefix}/2`, `${prefix}/3`]],
      [true, [`${prefix}/0`, `${prefix}/1`, `${prefix}/2`, `${prefix}/3`]],
      [false, [`${prefix}/4`, `${prefix}/5`, `${prefix}/6`, `${prefix}/7`]],
    ]);
    await cluster.killAndRestart(holder);
    await eventually(() => allSlotsHeld(node(holder)), 60_000);
  }, 120_000);

  it("moves open groups when their node is stopped, and keeps them when the flow is deployed again", async () => {
    const prefix = newGroupPrefix("moved");
    const holder = await groupingNode("size", 4);
    await send("size", prefix, [0, 1]);
    const others = [0, 1, 2].filter((index) => index !== holder);
    expect((await node(others[0] as number).putFlow("size", groupFlow("size", "completionSize: 4 # again", `${cluster.partnerUrl}/done`))).status).toBe(200);
    await send("size", prefix, [2], others);
    expect(await node(holder).end()).toBe(0);
    await send("size", prefix, [3], others);
    await eventually(() => groups(prefix).length > 0, 40_000);
    expect(groups(prefix).map(({ isRepeated, messages }) => [isRepeated, messages])).toEqual([
      [false, [`${prefix}/0`, `${prefix}/1`, `${prefix}/2`, `${prefix}/3`]],
    ]);
    await cluster.killAndRestart(holder);
    await eventually(() => allSlotsHeld(node(holder)), 60_000);
  }, 120_000);
});
