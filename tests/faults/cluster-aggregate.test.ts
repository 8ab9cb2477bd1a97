// 100 groups of an aggregate while a node is killed every second: every accepted message is in exactly one group, and a group that runs again is marked.
import { describe, expect, it } from "vitest";
import { allSlotsHeld, arrivedGroups, groupFlow } from "../cluster-groups.ts";
import { clusterUnderLoad, post } from "../cluster-load.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { eventually, sleep } from "../started-server.ts";
import { stores } from "./cluster-stores.ts";

describe.each(Object.entries(stores))("aggregates in a cluster on %s", (title, open) => {
  it("puts every accepted message into one group although a node is killed every second", { timeout: 400_000 }, async ({ skip }) => {
    const store = await open();
    if (store === undefined) return skip("the store is not installed");
    const cluster = await clusterUnderLoad(store.url, 3, store.env);
    try {
      await eventually(() => allSlotsHeld(cluster.nodes[0] as SpawnedServer), 60_000);
      const size = 5;
      await cluster.nodes[0]?.putFlow("many", groupFlow("many", `completionSize: ${size}`, `${cluster.partnerUrl}/done`));
      const accepted: string[] = [];
      let isSending = true;
      let sent = 0;
      const sendTo = async (group: string): Promise<void> => {
        const message = `${group}/${++sent}`;
        if ((await post(cluster.nodes[sent % 3] as SpawnedServer, "/api/many", message)) === 200) accepted.push(message);
      };
      const sender = async (first: number): Promise<void> => {
        for (let round = 0; round < size; round++)
          for (let group = first; group < 100; group += 4) {
            const before = accepted.length;
            while (accepted.length === before) await sendTo(`many${group}`);
            await sleep(20);
          }
      };
      const killer = async (): Promise<number> => {
        const restarting = new Map<number, Promise<void>>();
        let kills = 0;
        while (isSending) {
          await sleep(1_000);
          const [index] = [0, 1, 2].map((candidate) => (candidate + kills) % 3).filter((candidate) => !restarting.has(candidate));
          if (restarting.size > 1 || index === undefined) continue;
          kills++;
          restarting.set(
            index,
            cluster.killAndRestart(index).finally(() => restarting.delete(index)),
          );
        }
        await Promise.all(restarting.values());
        return kills;
      };
      const sending = Promise.all([0, 1, 2, 3].map(sender)).then(() => (isSending = false));
      const [kills] = await Promise.all([killer(), sending]);
      const arrived = (): ReadonlySet<string> => new Set(arrivedGroups(cluster.order, "many").flatMap(({ messages }) => messages));
      const missing = (): readonly string[] => accepted.filter((message) => !arrived().has(message));
      await eventually(() => arrivedGroups(cluster.order, "many").length >= 100, 30_000).catch(() => undefined);
      // A message that got no reply may still have been added to a group. The last group of its key is then incomplete until more messages are sent.
      for (let round = 1; round < size && missing().length > 0; round++) {
        for (const group of new Set(missing().map((message) => message.split("/")[0] as string))) await sendTo(group);
        await eventually(() => missing().length === 0, 5_000).catch(() => undefined);
      }
      const first = arrivedGroups(cluster.order, "many").filter(({ isRepeated }) => !isRepeated);
      const all = first.flatMap(({ messages }) => messages);
      const duplicates = all.filter((message, at) => all.indexOf(message) !== at);
      const repeatedCount = arrivedGroups(cluster.order, "many").length - first.length;
      console.log(
        `${title}: ${kills} kills, ${accepted.length} accepted, ${first.length} groups, ${repeatedCount} run again and marked, ${missing().length} lost, ${duplicates.length} in two groups`,
      );
      expect([kills > 3, missing(), duplicates]).toEqual([true, [], []]);
      expect(new Set(arrivedGroups(cluster.order, "many").map(({ messages }) => new Set(messages).size))).toEqual(new Set([size]));
    } finally {
      await cluster.end();
      await store.end();
    }
  });
});
