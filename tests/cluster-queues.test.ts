// Durable webhooks and queues of a cluster: real processes that are killed, with NATS and with PostgreSQL.
import { createHash } from "node:crypto";
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterUnderLoad, concurrency, durableFlow, loadWithKills, post, tallyOf, type ClusterUnderLoad } from "./cluster-load.ts";
import { startNats, startPostgres } from "./cluster-stores.ts";
import { call, eventually, sleep } from "./started-server.ts";

const stores = [await startNats("load"), await startPostgres("load")];

for (const { title, server, urlOf } of stores)
  describe.skipIf(server === undefined)(`durable messages in a cluster (needs ${title})`, () => {
    const store = server as TestServer;
    let cluster: ClusterUnderLoad;
    const node = (index: number): ClusterUnderLoad["nodes"][number] => cluster.nodes[index] as ClusterUnderLoad["nodes"][number];
    beforeAll(async () => {
      cluster = await clusterUnderLoad(urlOf(store), 3);
      await eventually(async () => (await node(0).api("GET", "/nodes")).json.nodes.length === 3);
      const put = await node(0).putFlow("load", durableFlow(cluster.partnerUrl));
      expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
    });
    afterAll(async () => {
      await cluster?.end();
      await store.end();
    });

    it("every accepted message runs at least once although nodes are killed", async () => {
      const report = await loadWithKills(cluster, { forMs: 6_000, minKills: 3, minAccepted: 101, killEveryMs: 1_000, senders: 6, pauseMs: 5 });
      const tally = await tallyOf(cluster, report, 30_000);
      expect(tally.lost).toEqual([]);
      expect(tally.accepted).toBeGreaterThan(100);
      expect(tally.kills).toBeGreaterThanOrEqual(3);
      expect(tally.duplicates).toBeLessThanOrEqual(tally.kills * 2 * concurrency);
      expect([...report.replies.keys()].filter((status) => ![0, 202, 503].includes(status))).toEqual([]);
    });

    it("any node runs a message, whichever accepted it", async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `spread${index}`);
      const statuses = await Promise.all(ids.map((id) => post(node(0), "/api/in", id)));
      expect(new Set(statuses)).toEqual(new Set([202]));
      await eventually(() => ids.every((id) => cluster.arrived.has(id)));
      const { json } = await node(0).api("GET", `/runs?routeId=work&limit=${ids.length}`);
      expect(new Set(json.runs.map((run: { readonly node: string }) => run.node)).size).toBeGreaterThan(1);
    });

    it("a message that always fails is listed as a dead letter on every node", async () => {
      const flow = durableFlow(cluster.partnerUrl)
        .replaceAll("id: in", "id: fails")
        .replaceAll("id: work", "id: failing")
        .replaceAll("queue:work", "queue:failing");
      expect((await node(1).putFlow("failing", flow.replace("maximumRedeliveries=1000", "maximumRedeliveries=2"))).status).toBe(201);
      expect(await post(node(0), "/api/fails", "poison 1")).toBe(202);
      const deadLetters = async (): Promise<readonly any[]> =>
        (await Promise.all(cluster.nodes.map(({ api }) => api("GET", "/dead-letters")))).flatMap(({ json }) => json.deadLetters);
      await eventually(async () => (await deadLetters()).length === 3);
      expect(await deadLetters()).toEqual(Array(3).fill(expect.objectContaining({ routeId: "failing", attempts: 3, source: "queue:failing" })));
      expect(cluster.arrived.get("poison 1")).toBe(3);
    });

    it("messages with the same key arrive in order, even when the node that runs them is killed", async () => {
      const flow = `- route:
    id: keyed
    from:
      uri: webhook
      steps:
        - to: queue:keyed?keyHeader=customer
- route:
    id: ordered
    from:
      uri: "queue:keyed?concurrentConsumers=4"
      steps:
        - convertBodyTo: {type: String}
        - to: "${cluster.partnerUrl}/done?httpMethod=POST"
`;
      expect((await node(2).putFlow("keyed", flow)).status).toBe(201);
      // On NATS the node that holds the slot of the queue runs its messages with a key.
      const slot = createHash("sha256").update("keyed").digest().readUInt32BE() % 64;
      const holder = async (): Promise<number> => {
        const { json } = await node(0).api("GET", "/nodes");
        return Number(json.nodes.find(({ slots }: any) => slots.includes(slot))?.node.slice(1) ?? -1);
      };
      await eventually(async () => (await holder()) >= 0);
      const killedNode = await holder();
      let killed: Promise<void> | undefined;
      for (let index = 0; index < 30; index++) {
        const sender = node((killedNode + 1 + (index % 2)) % 3);
        for (const customer of ["a", "b", "c"]) expect(await post(sender, "/api/keyed", `${customer} ${index}`, { customer })).toBe(200);
        if (index === 10) killed = cluster.killAndRestart(killedNode);
      }
      await killed;
      const firstRuns = (customer: string): readonly string[] => [...new Set(cluster.order.filter((id) => id.startsWith(`${customer} `)))];
      const expected = (customer: string): readonly string[] => Array.from({ length: 30 }, (_, index) => `${customer} ${index}`);
      await eventually(() => ["a", "b", "c"].every((customer) => firstRuns(customer).length === 30));
      for (const customer of ["a", "b", "c"]) expect(firstRuns(customer)).toEqual(expected(customer));
    });

    it("a message that the store cannot hold is rejected when it arrives", async () => {
      const large = await call(node(0).baseUrl, "POST", "/api/in", "x".repeat(1024 ** 2));
      if (title === "PostgreSQL") expect(large.status).toBe(202);
      else {
        expect(large.status).toBe(413);
        expect(large.json.error).toMatch(
          /^the message cannot be stored in the cluster: the message has 10\d{5} bytes with its metadata, more than the limit of 104\d{4} bytes: raise max_payload on the NATS servers$/,
        );
      }
      expect(await post(node(0), "/api/in", "x".repeat(1_000_000))).toBe(202);
      await eventually(() => cluster.arrived.has("x".repeat(1_000_000)));
    });

    it("waits for a store that is briefly unavailable, and replies 503 if it stays unavailable", async () => {
      await store.kill();
      const short = post(node(0), "/api/in", "short");
      await sleep(2_000);
      await store.restart();
      expect(await short).toBe(202);
      await eventually(() => cluster.arrived.has("short"));
      await store.kill();
      const start = performance.now();
      expect(await post(node(1), "/api/in", "long")).toBe(503);
      expect(performance.now() - start).toBeGreaterThan(9_000);
      await store.restart();
      await eventually(async () => (await post(node(1), "/api/in", "after")) === 202);
      await eventually(() => cluster.arrived.has("after"));
    });
  });
