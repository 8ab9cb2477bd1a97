// Durable messages of a cluster while its nodes are killed, with NATS and with PostgreSQL.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterUnderLoad, concurrency, durableFlow, loadWithKills, tallyOf, type ClusterUnderLoad } from "../cluster-load.ts";
import { startNats, startPostgres } from "../cluster-stores.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { eventually } from "../started-server.ts";

for (const store of [await startNats(), await startPostgres()])
  describe.skipIf(store.server === undefined)(`durable messages under kills (needs ${store.title})`, () => {
    let cluster: ClusterUnderLoad;
    beforeAll(async () => {
      cluster = await clusterUnderLoad(store.urlOf("load"), 3);
      const [first] = cluster.nodes as [SpawnedServer];
      await eventually(async () => (await first.api("GET", "/nodes")).json.nodes.length === 3);
      const put = await first.putFlow("load", durableFlow(cluster.partnerUrl));
      expect([put.status, put.json.error]).toEqual([201, undefined]);
    });
    afterAll(async () => {
      await cluster?.end();
      await (store.server as TestServer).end();
    });

    it("every accepted message runs at least once although nodes are killed", async () => {
      const report = await loadWithKills(cluster, { forMs: 6_000, minKills: 5, minAccepted: 200, killEveryMs: 1_000, senders: 6, pauseMs: 5 });
      const tally = await tallyOf(cluster, report, 120_000);
      expect(tally.lost).toEqual([]);
      expect([tally.accepted >= 200, tally.kills >= 5]).toEqual([true, true]);
      expect(tally.duplicates).toBeLessThanOrEqual(tally.kills * 2 * concurrency);
      expect([...report.replies.keys()].filter((status) => ![0, 202, 503].includes(status))).toEqual([]);
    });
  });
