// A cluster whose store is unreachable for 30 s, and a node that is suspended for 30 s. SLUICE_QUICK=1 uses 15 s.
import { describe, expect, it } from "vitest";
import { clusterUnderLoad, durableFlow, post, type ClusterUnderLoad } from "../cluster-load.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { call, eventually, replyFlow, sleep } from "../started-server.ts";
import { beatFlow, tickFlow } from "./cluster-kills.ts";
import { stores, type ClusterStore } from "./cluster-stores.ts";

const outageMs = process.env["SLUICE_QUICK"] === "1" ? 15_000 : 30_000;
const recoveryMs = 60_000;

const inCluster = async (
  open: () => Promise<ClusterStore | undefined>,
  skip: (note: string) => void,
  run: (cluster: ClusterUnderLoad, store: ClusterStore) => Promise<void>,
) => {
  const store = await open();
  if (store === undefined) return skip("the store is not installed");
  const cluster = await clusterUnderLoad(store.url, 3, store.env);
  try {
    const [first] = cluster.nodes as [SpawnedServer];
    await eventually(async () => (await first.api("GET", "/nodes")).json.nodes.length === 3);
    const flows = {
      load: durableFlow(cluster.partnerUrl),
      plain: replyFlow("plain", "on"),
      ticks: tickFlow(cluster.partnerUrl),
      beat: beatFlow(cluster.partnerUrl, "beat"),
    };
    for (const [id, yaml] of Object.entries(flows)) expect([id, (await first.putFlow(id, yaml)).json.cluster?.running]).toEqual([id, 3]);
    await eventually(() => cluster.partner.ticks.size > 2 && cluster.partner.beats.length > 2);
    await run(cluster, store);
  } catch (error) {
    for (const [index, node] of cluster.nodes.entries()) console.log(`--- n${index}\n${node.output().slice(-3_000)}`);
    throw error;
  } finally {
    await cluster.end();
    await store.end();
  }
};

describe.each(Object.entries(stores))("a cluster on %s", (title, open) => {
  it(`serves plain webhooks while the store is unreachable, and resumes automatically`, { timeout: 400_000 }, ({ skip }) =>
    inCluster(open, skip, async (cluster, store) => {
      const { partner, nodes } = cluster;
      let isOver = false;
      let isStoreDown = false;
      let [calls, sent] = [0, 0];
      const failed: number[] = [];
      const accepted: string[] = [];
      const replies = new Map<number, number>();
      const falselyAccepted: string[] = [];
      const plain = nodes.map(async ({ baseUrl }) => {
        for (; !isOver; calls++, await sleep(20)) {
          const { status, text } = await call(baseUrl, "POST", "/api/plain");
          if (text !== "on") failed.push(status);
        }
      });
      const durable = Array.from({ length: 6 }, async () => {
        for (; !isOver; await sleep(100)) {
          const id = `m${++sent}`;
          const status = await post(nodes[sent % 3] as SpawnedServer, "/api/in", id);
          replies.set(status, (replies.get(status) ?? 0) + 1);
          if (status === 202) (isStoreDown ? falselyAccepted : accepted).push(id);
        }
      });
      await sleep(3_000);
      const acceptedBeforeOutage = accepted.length;
      await store.killAll();
      // The reply to a message that was stored before the store was killed may still be on its way.
      await sleep(500);
      isStoreDown = true;
      await sleep(outageMs - 500);
      const ticksBeforeRestart = partner.ticks.size;
      isStoreDown = false;
      const restartTime = performance.now();
      await store.restartAll();
      const acceptedAtRestart = accepted.length;
      await eventually(() => accepted.length > acceptedAtRestart + 10, recoveryMs);
      const durableAfterMs = performance.now() - restartTime;
      await eventually(() => partner.ticks.size > ticksBeforeRestart + 2, recoveryMs);
      const ticksAfterMs = performance.now() - restartTime;
      await eventually(async () => (await (nodes[1] as SpawnedServer).putFlow("plain", replyFlow("plain", "on"))).status === 200, recoveryMs);
      isOver = true;
      await Promise.all([...plain, ...durable]);
      await eventually(() => accepted.every((id) => partner.arrived.has(id)), recoveryMs).catch(() => undefined);
      const lost = accepted.filter((id) => !partner.arrived.has(id));
      console.log(
        `${title} unreachable for ${outageMs / 1_000} s: ${calls} plain calls, ${failed.length} failed; durable ${[...replies].map(([status, count]) => `${status}: ${count}`).join(", ")}; ` +
          `${accepted.length} accepted, ${lost.length} lost; after the restart, accepted again after ${Math.round(durableAfterMs)} ms, ticks after ${Math.round(ticksAfterMs)} ms`,
      );
      expect([failed, calls > 1_000]).toEqual([[], true]);
      expect(acceptedBeforeOutage).toBeGreaterThan(10);
      expect(falselyAccepted).toEqual([]);
      expect(replies.get(503)).toBeGreaterThan(0);
      expect([...replies.keys()].filter((status) => ![202, 503].includes(status))).toEqual([]);
      expect(lost).toEqual([]);
      expect(partner.repeatedTicks()).toEqual([]);
      expect(partner.doubleHolders()).toEqual([]);
    }),
  );

  it("a suspended node repeats no messages or timers when it resumes", { timeout: 300_000 }, ({ skip }) =>
    inCluster(open, skip, async (cluster) => {
      const { partner, nodes } = cluster;
      const holder = partner.beats.at(-1)?.node as string;
      const suspended = nodes[Number(holder.slice(1))] as SpawnedServer;
      const others = nodes.filter((node) => node !== suspended);
      // Nothing is in flight when the node is suspended, because a run in progress would continue. The requests of the node for messages are still open.
      for (let index = 0; index < 30; index++) expect(await post(nodes[index % 3] as SpawnedServer, "/api/in", `warm${index}`)).toBe(202);
      await eventually(() => partner.order.filter((id) => id.startsWith("warm")).length === 30);
      await sleep(1_000);
      process.kill(suspended.pid, "SIGSTOP");
      let isOver = false;
      let sent = 0;
      const accepted: string[] = [];
      const senders = Array.from({ length: 6 }, async () => {
        for (; !isOver; await sleep(10)) {
          const id = `m${++sent}`;
          if ((await post(others[sent % 2] as SpawnedServer, "/api/in", id)) === 202) accepted.push(id);
        }
      });
      await sleep(outageMs);
      const continuedAt = performance.now();
      const completedIds = new Set(partner.arrived.keys());
      const arrivedBefore = partner.order.length;
      const beatsBefore = partner.beats.length;
      process.kill(suspended.pid, "SIGCONT");
      await eventually(async () => (await suspended.api("GET", "/health")).json.cluster.connectivity === "connected", recoveryMs);
      await sleep(8_000);
      isOver = true;
      await Promise.all(senders);
      await eventually(() => accepted.every((id) => partner.arrived.has(id)), recoveryMs).catch(() => undefined);
      const repeatedRuns = partner.order.slice(arrivedBefore).filter((id) => completedIds.has(id));
      const wrongBeats = partner.beats.slice(beatsBefore).filter(({ node, at }) => node === holder && at - continuedAt < 1_000);
      console.log(
        `${title}, suspended for ${outageMs / 1_000} s: ${accepted.length} accepted, ${repeatedRuns.length} run again after it continued, ${wrongBeats.length} beats in its first second`,
      );
      expect(accepted.filter((id) => !partner.arrived.has(id))).toEqual([]);
      expect(repeatedRuns).toEqual([]);
      expect(wrongBeats).toEqual([]);
      expect(partner.repeatedTicks()).toEqual([]);
      expect(partner.doubleHolders()).toEqual([]);
    }),
  );
});
