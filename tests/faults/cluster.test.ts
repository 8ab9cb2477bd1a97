// Durable messages through a cluster whose nodes are killed every second, and a NATS server every 16 s: nothing that was accepted is lost, and duplicates stay within the
// promised bound. SLUICE_QUICK=1 runs for 15 s instead of 120 s; SLUICE_SECONDS sets another time.
import { natsCluster, serverFor } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { clusterUnderLoad, concurrency, durableFlow, loadWithKills, tallyOf } from "../cluster-load.ts";
import { eventually, sleep } from "../started-server.ts";

const seconds = Number(process.env["SLUICE_SECONDS"] ?? (process.env["SLUICE_QUICK"] === "1" ? 15 : 120));

interface OpenStore {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Kills one server of the store and starts it again. */
  disturb?(round: number): Promise<void>;
  end(): Promise<void>;
}

const disturbEveryMs = 16_000;
/** How long a killed server of the store is down. */
const downMs = 4_000;

const stores: Readonly<Record<string, () => Promise<OpenStore | undefined>>> = {
  "three NATS servers": async () => {
    const servers = await natsCluster();
    return (
      servers && {
        url: `nats://${servers.servers}/faults`,
        env: { SERVICE_CLUSTER_REPLICAS: "3" },
        async disturb(round) {
          await servers.kill(round);
          await sleep(downMs);
          await servers.restart(round);
        },
        end: () => servers.end(),
      }
    );
  },
  PostgreSQL: async () => {
    const server = await serverFor("postgres", { own: true });
    return server && { url: `postgres://postgres@${server.host}:${server.port}/postgres?cluster=faults`, env: {}, end: () => server.end() };
  },
};

describe.each(Object.entries(stores))("a cluster on %s", (title, open) => {
  it("loses no accepted message although a node is killed every second", { timeout: (seconds + 300) * 1_000 }, async ({ skip }) => {
    const store = await open();
    if (store === undefined) return skip();
    const cluster = await clusterUnderLoad(store.url, 3, store.env);
    try {
      const [first] = cluster.nodes;
      await eventually(async () => (await first?.api("GET", "/nodes"))?.json.nodes.length === 3);
      expect((await first?.putFlow("load", durableFlow(cluster.partnerUrl)))?.json.cluster).toMatchObject({ running: 3 });
      const until = performance.now() + seconds * 1_000;
      let storeKills = 0;
      const disturbing = (async () => {
        for (let next = performance.now() + disturbEveryMs; store.disturb !== undefined && next + downMs < until; next += disturbEveryMs) {
          await sleep(next - performance.now());
          await store.disturb(storeKills++);
        }
      })();
      const report = await loadWithKills(cluster, { forMs: seconds * 1_000, minKills: 3, minAccepted: 100, killEveryMs: 1_000, senders: 8, pauseMs: 20 });
      await disturbing;
      const tally = await tallyOf(cluster, report, 120_000);
      const replies = [...report.replies].map(([status, count]) => `${status === 0 ? "none" : status}: ${count}`).join(", ");
      console.log(
        `${title}: ${tally.accepted} accepted, ${tally.lost.length} lost, ${tally.duplicates} run again, ${tally.kills} kills of nodes and ${storeKills} of store servers in ${seconds} s (replies ${replies})`,
      );
      expect(tally.lost).toEqual([]);
      expect(tally.accepted).toBeGreaterThan(seconds * 5);
      // In flight in the two routes of a killed node; a new leader of a consumer on NATS may deliver again what is in flight on all nodes.
      const inFlight = 2 * concurrency;
      expect(tally.duplicates).toBeLessThanOrEqual((tally.kills + storeKills * cluster.nodes.length) * inFlight);
      expect([...report.replies.keys()].filter((status) => ![0, 202, 503].includes(status))).toEqual([]);
    } finally {
      await cluster.end();
      await store.end();
    }
  });
});
