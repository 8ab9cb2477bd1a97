// Aggregates in a cluster: the messages of open groups are in the store, and a node that dies loses none of them.
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { arrivedGroups, groupFlow, type ArrivedGroup } from "./cluster-groups.ts";
import { post } from "./cluster-load.ts";
import { idKeptBy, TestCluster, type NodeOptions } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { eventually } from "./started-server.ts";

const store = await startStore();
/** The first node groups the messages of this flow. */
const flowId = idKeptBy("n0", "group");

interface FlowOptions {
  readonly completion: string;
  readonly path?: "done" | "held";
  readonly from?: string;
}

async function start(nodes: readonly NodeOptions[], { completion, path = "done", from }: FlowOptions) {
  const cluster = await TestCluster.start(store, { nodes });
  onTestFinished(() => cluster.end());
  const flow = (): string => groupFlow(flowId, completion, `${cluster.partner.url}/${path}`, from);
  await cluster.deploy(0, flowId, flow());
  return {
    cluster,
    flow,
    groups: (prefix: string): readonly ArrivedGroup[] => arrivedGroups(cluster.order, prefix),
    /** Sends messages to nodes in turn. */
    async send(prefix: string, numbers: readonly number[], to: readonly number[]): Promise<void> {
      for (const number of numbers)
        expect(await post(cluster.node(to[number % to.length] as number), `/api/${flowId}`, `${prefix}/${number}`)).toBe(from === undefined ? 200 : 202);
    },
  };
}

const numbers = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe.skipIf(store.server === undefined)(`aggregates in a cluster (needs ${store.title})`, () => {
  afterAll(() => store.server?.end());

  it("groups the messages that all nodes accept, each in one group", async () => {
    const { groups, send } = await start([{}, {}, {}], { completion: "completionSize: 4", from: "webhook?durable=true&concurrentConsumers=8" });
    await send("all", numbers(0, 16), [0, 1, 2]);
    await eventually(() => groups("all").length === 4);
    // A message that was in a group twice would arrive before these.
    await send("all", numbers(16, 20), [0, 1, 2]);
    await eventually(() => groups("all").length === 5);
    expect(groups("all").map(({ node, completedBy, isRepeated, messages }) => [node, completedBy, isRepeated, messages.length])).toEqual(
      Array.from({ length: 5 }, () => ["n0", "size", false, 4]),
    );
    const messages = groups("all").flatMap((group) => group.messages);
    expect(messages.toSorted()).toEqual(
      numbers(0, 20)
        .map((number) => `all/${number}`)
        .toSorted(),
    );
  });

  it("completes a group on another node with all its messages when its node is killed", async () => {
    const { cluster, groups, send } = await start([{ isKillable: true }, {}], { completion: "completionSize: 4" });
    await send("half", [0, 1], [0, 1]);
    await cluster.kill(0);
    await send("half", [2, 3], [1]);
    await eventually(() => groups("half").length > 0);
    await send("next", numbers(0, 4), [1]);
    await eventually(() => groups("next").length > 0);
    expect(groups("half").map(({ node, isRepeated, messages }) => [node, isRepeated, messages])).toEqual([
      ["n1", false, ["half/0", "half/1", "half/2", "half/3"]],
    ]);
  });

  it("completes a group by timeout once, on another node, when its node is killed", async () => {
    // The first node does not look at its timeouts before it is killed.
    const nodes = [{ isKillable: true, env: { CHECK_MS: "3600000" } }, { env: { CHECK_MS: "100" } }];
    const completion = `completionTimeout: 300\n            completionTimeoutCheckerInterval: "{{env:CHECK_MS}}"`;
    const { cluster, groups, send } = await start(nodes, { completion });
    await Promise.all([send("quiet", [0], [0]), send("quiet", [1], [1])]);
    await cluster.kill(0);
    await eventually(() => groups("quiet").length > 0);
    await send("next", [0], [1]);
    await eventually(() => groups("next").length > 0);
    expect(groups("quiet").map(({ node, completedBy, messages }) => [node, completedBy, messages.toSorted()])).toEqual([
      ["n1", "timeout", ["quiet/0", "quiet/1"]],
    ]);
  });

  it("runs a completed group again, marked as repeated, when its node is killed during the run", async () => {
    const { cluster, groups, send } = await start([{ isKillable: true }, {}], { completion: "completionSize: 4", path: "held" });
    cluster.partner.isHolding = true;
    await send("cut", numbers(0, 4), [0, 1]);
    await eventually(() => groups("cut").length === 1);
    await send("cut", [4], [1]);
    cluster.partner.isHolding = false;
    await cluster.kill(0);
    await eventually(() => groups("cut").length === 2);
    await send("cut", numbers(5, 8), [1]);
    await eventually(() => groups("cut").length === 3);
    const [first, second] = [numbers(0, 4), numbers(4, 8)].map((group) => group.map((number) => `cut/${number}`));
    expect(groups("cut").map(({ isRepeated, messages }) => [isRepeated, messages])).toEqual([
      [false, first],
      [true, first],
      [false, second],
    ]);
  });

  it("moves open groups when their node is stopped, and keeps them when the flow is deployed again", async () => {
    const { cluster, flow, groups, send } = await start([{}, {}], { completion: "completionSize: 4" });
    await send("moved", [0, 1], [0, 1]);
    await cluster.deploy(1, flowId, `${flow()}# again\n`);
    await send("moved", [2], [1]);
    await cluster.node(0).stop();
    await send("moved", [3], [1]);
    await eventually(() => groups("moved").length > 0);
    expect(groups("moved").map(({ isRepeated, messages }) => [isRepeated, messages])).toEqual([[false, ["moved/0", "moved/1", "moved/2", "moved/3"]]]);
  });
});
