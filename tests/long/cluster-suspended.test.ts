// A node that is suspended until others have taken over its work, and then continues: with the real TTL, because it must not notice its own death.
import type { TestServer } from "@sluice/testkit";
import { expect, it } from "vitest";
import { allSlotsHeld, arrivedGroups, groupFlow } from "../cluster-groups.ts";
import { post } from "../cluster-load.ts";
import { idKeptBy, TestCluster } from "../cluster-nodes.ts";
import { startStore } from "../cluster-stores.ts";
import { eventually } from "../started-server.ts";

const store = await startStore();
const waitMs = 120_000;

it.skipIf(store.server === undefined)(`a group is completed once when its node is suspended and continues later (needs ${store.title})`, async () => {
  const killable = { isKillable: true };
  const cluster = await TestCluster.start(store, { env: { SERVICE_CLUSTER_TTL: "5s" }, nodes: [killable, killable, killable] });
  const id = idKeptBy("n0", "group");
  const groups = () => arrivedGroups(cluster.order, "asleep").map(({ isRepeated, messages }) => [isRepeated, messages]);
  const send = async (numbers: readonly number[], to: readonly number[]): Promise<void> => {
    for (const number of numbers) expect(await post(cluster.node(to[number % to.length] as number), `/api/${id}`, `asleep/${number}`)).toBe(200);
  };
  const messages = (from: number): readonly string[] => [0, 1, 2, 3].map((number) => `asleep/${from + number}`);
  try {
    await cluster.deploy(1, id, groupFlow(id, "completionSize: 4", `${cluster.partner.url}/done`));
    await send([0, 1, 2], [0, 1, 2]);
    process.kill(cluster.node(0).pid as number, "SIGSTOP");
    await send([3], [1]);
    await eventually(() => groups().length === 1, waitMs);
    process.kill(cluster.node(0).pid as number, "SIGCONT");
    await eventually(() => allSlotsHeld(cluster.node(0)), waitMs);
    await send([4, 5, 6, 7], [0, 1, 2]);
    await eventually(() => groups().length === 2, waitMs);
    // A group that ran twice would arrive before this one.
    await send([8, 9, 10, 11], [0, 1, 2]);
    await eventually(() => groups().length === 3, waitMs);
    expect(groups()).toEqual([0, 4, 8].map((from) => [false, messages(from)]));
  } finally {
    await cluster.end();
    await (store.server as TestServer).end();
  }
});
