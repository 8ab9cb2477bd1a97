// A cluster under load whose nodes are killed every second, and a NATS server every 16 s: no accepted message is lost, duplicates stay within
// the documented bound, messages with the same key stay in order, a tick fires at most once, and a slot has one holder. SLUICE_QUICK=1 runs for 15 s
// instead of 120 s; SLUICE_SECONDS sets another time, SLUICE_SEED repeats a run.
import { describe, expect, it } from "vitest";
import { clusterUnderLoad, concurrency, durableFlow, loadWithKills, tallyOf } from "../cluster-load.ts";
import { eventually, sleep } from "../started-server.ts";
import { beatFlow, firstRuns, keyedFlow, randomFrom, sendKeyed, tickFlow } from "./cluster-kills.ts";
import { stores } from "./cluster-stores.ts";

const seconds = Number(process.env["SLUICE_SECONDS"] ?? (process.env["SLUICE_QUICK"] === "1" ? 15 : 120));
const seed = Number(process.env["SLUICE_SEED"] ?? Date.now() % 1_000_000);

const storeKillEveryMs = 16_000;
/** How long a killed server of the store is down. */
const storeDownMs = 4_000;
const keys = ["a", "b", "c", "d"];
const schedules = ["beat1", "beat2", "beat3", "beat4"];

describe.each(Object.entries(stores))("a cluster on %s", (title, open) => {
  it("keeps its guarantees although a node is killed every second", { timeout: (seconds + 400) * 1_000 }, async ({ skip }) => {
    const store = await open();
    if (store === undefined) return skip("the store is not installed");
    const random = randomFrom(seed);
    const cluster = await clusterUnderLoad(store.url, 3, store.env);
    const { partner } = cluster;
    try {
      const [first] = cluster.nodes;
      await eventually(async () => (await first?.api("GET", "/nodes"))?.json.nodes.length === 3);
      const flows = {
        load: durableFlow(partner.url),
        keyed: keyedFlow(partner.url),
        ticks: tickFlow(partner.url),
        ...Object.fromEntries(schedules.map((id) => [id, beatFlow(partner.url, id)])),
      };
      for (const [id, yaml] of Object.entries(flows)) {
        const { status, json } = (await first?.putFlow(id, yaml)) ?? {};
        expect([id, status, json?.error, json?.cluster?.running]).toEqual([id, 201, undefined, 3]);
      }
      await eventually(() => new Set(partner.beats.map(({ schedule }) => schedule)).size === schedules.length);
      const startTime = performance.now();
      const until = startTime + seconds * 1_000;
      let storeKills = 0;
      const storeKilling = (async () => {
        for (let next = startTime + storeKillEveryMs; store.servers > 1 && next + storeDownMs < until; next += storeKillEveryMs) {
          await sleep(next - performance.now());
          storeKills++;
          const server = Math.floor(random() * store.servers);
          await store.kill(server);
          await sleep(storeDownMs);
          await store.restart(server);
        }
      })();
      let isOver = false;
      const keyed = Promise.all(keys.map((key) => sendKeyed(cluster, key, () => isOver, 50)));
      const report = await loadWithKills(cluster, {
        forMs: seconds * 1_000,
        minKills: 3,
        minAccepted: 100,
        killEveryMs: 1_000,
        senders: 8,
        pauseMs: 20,
        random,
      });
      isOver = true;
      const acceptedByKey = await keyed;
      await storeKilling;
      const tally = await tallyOf(cluster, report, 120_000);
      const keyedCount = acceptedByKey.flat().length;
      await eventually(() => acceptedByKey.flat().every((id) => partner.arrived.has(id)), 60_000).catch(() => undefined);
      const replies = [...report.replies].map(([status, count]) => `${status === 0 ? "none" : status}: ${count}`).join(", ");
      console.log(
        `${title}, seed ${seed}: ${tally.accepted} accepted, ${tally.lost.length} lost, ${tally.duplicates} run again, ${keyedCount} with a key, ` +
          `${partner.ticks.size} ticks, ${partner.beats.length} beats of ${new Set(partner.beats.map(({ node }) => node)).size} nodes, ` +
          `${tally.kills} kills of nodes and ${storeKills} of store servers in ${seconds} s (replies ${replies})`,
      );
      expect(tally.lost).toEqual([]);
      expect(tally.accepted).toBeGreaterThan(seconds * 5);
      // Messages in flight in the two routes of a killed node. On NATS, a new leader of a consumer may redeliver the messages in flight on all nodes.
      const inFlight = 2 * concurrency;
      expect(tally.duplicates).toBeLessThanOrEqual((tally.kills + storeKills * cluster.nodes.length) * inFlight);
      expect([...report.replies.keys()].filter((status) => ![0, 202, 503].includes(status))).toEqual([]);
      for (const accepted of acceptedByKey) expect(firstRuns(partner.order, accepted)).toEqual(accepted);
      expect(keyedCount).toBeGreaterThan(seconds);
      expect(partner.overlaps).toEqual([]);
      expect(partner.repeatedTicks()).toEqual([]);
      expect(partner.ticks.size).toBeGreaterThan(seconds / 10);
      expect(partner.doubleHolders()).toEqual([]);
      expect(new Set(partner.beats.map(({ node }) => node)).size).toBeGreaterThan(1);
    } finally {
      await cluster.end();
      await store.end();
    }
  });
});
