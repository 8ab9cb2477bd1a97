// Durable webhooks and queues of a cluster, with NATS and with PostgreSQL. tests/long/cluster-queue-kills.test.ts kills nodes under load.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { concurrency, durableFlow, post } from "./cluster-load.ts";
import { idKeptBy, TestCluster } from "./cluster-nodes.ts";
import { startNats, startPostgres } from "./cluster-stores.ts";
import { call, eventually } from "./started-server.ts";

const stores = [await startNats(), await startPostgres()];

for (const store of stores)
  describe.skipIf(store.server === undefined)(`durable messages in a cluster (needs ${store.title})`, () => {
    const server = store.server as TestServer;
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await TestCluster.start(store, { nodes: [{ isKillable: true }, {}, {}] });
      await cluster.deploy(0, "load", durableFlow(cluster.partner.url, "held"));
    });
    afterAll(async () => {
      await cluster?.end();
      await server.end();
    });

    it("every node runs messages, whichever accepted them", async () => {
      // Each node runs as many messages at a time as a route may, so all of them are in flight only if every node runs some.
      const ids = Array.from({ length: 3 * concurrency }, (_, index) => `spread${index}`);
      cluster.partner.isHolding = true;
      const statuses = await Promise.all(ids.map((id) => post(cluster.node(0), "/api/in", id)));
      expect(new Set(statuses)).toEqual(new Set([202]));
      await eventually(() => ids.every((id) => cluster.arrived.has(id)));
      cluster.partner.releaseHeld();
      const { runs } = await cluster.list(0, `/runs?routeId=work&limit=${ids.length}`);
      const nodes = runs.map((run: { readonly node: string }) => run.node);
      expect(["n0", "n1", "n2"].map((name) => nodes.filter((node: string) => node === name).length)).toEqual([concurrency, concurrency, concurrency]);
    });

    it("a message that always fails is listed as a dead letter on every node", async () => {
      const flow = durableFlow(cluster.partner.url)
        .replaceAll("id: in", "id: fails")
        .replaceAll("id: work", "id: failing")
        .replaceAll("queue:work", "queue:failing");
      await cluster.deploy(1, "failing", flow.replace("maximumRedeliveries=1000", "maximumRedeliveries=2"));
      expect(await post(cluster.node(0), "/api/fails", "poison 1")).toBe(202);
      const deadLetters = async (): Promise<readonly any[]> =>
        (await Promise.all(cluster.nodes.map(({ api }) => api("GET", "/dead-letters")))).flatMap(({ json }) => json.deadLetters);
      await eventually(async () => (await deadLetters()).length === 3);
      expect(await deadLetters()).toEqual(Array(3).fill(expect.objectContaining({ routeId: "failing", attempts: 3, source: "queue:failing" })));
      expect(cluster.arrived.get("poison 1")).toBe(3);
    });

    it("a message that the store cannot hold is rejected when it arrives", async () => {
      const large = await call(cluster.node(0).baseUrl, "POST", "/api/in", "x".repeat(1024 ** 2));
      if (store.title === "PostgreSQL") expect(large.status).toBe(202);
      else {
        expect(large.status).toBe(413);
        expect(large.json.error).toMatch(
          /^the message cannot be stored in the cluster: the message has 10\d{5} bytes with its metadata, more than the limit of 104\d{4} bytes: raise max_payload on the NATS servers$/,
        );
      }
      expect(await post(cluster.node(0), "/api/in", "x".repeat(1_000_000))).toBe(202);
      await eventually(() => cluster.arrived.has("x".repeat(1_000_000)));
    });

    it("a request waits for a store that is briefly unavailable", async () => {
      await server.kill();
      const reply = post(cluster.node(1), "/api/in", "short");
      await server.restart();
      expect(await reply).toBe(202);
      await eventually(() => cluster.arrived.has("short"));
    });

    it("messages with the same key arrive in order, even when the node that runs them is killed", async () => {
      // On NATS the node that holds the slot of the queue runs its messages with a key.
      const queue = idKeptBy("n0", "keyed");
      const flow = `- route:
    id: keyed
    from:
      uri: webhook
      steps:
        - to: queue:${queue}?keyHeader=customer
- route:
    id: ordered
    from:
      uri: "queue:${queue}?concurrentConsumers=4"
      steps:
        - convertBodyTo: {type: String}
        - to: "${cluster.partner.url}/done?httpMethod=POST"
`;
      await cluster.deploy(2, "keyed", flow);
      const [customers, count] = [["a", "b", "c"], 12];
      let killed: Promise<void> | undefined;
      for (let index = 0; index < count; index++) {
        for (const customer of customers) expect(await post(cluster.node(1 + (index % 2)), "/api/keyed", `${customer} ${index}`, { customer })).toBe(200);
        if (index === 4) killed = cluster.kill(0);
      }
      await killed;
      const firstRuns = (customer: string): readonly string[] => [...new Set(cluster.order.filter((id) => id.startsWith(`${customer} `)))];
      await eventually(() => customers.every((customer) => firstRuns(customer).length === count));
      for (const customer of customers) expect(firstRuns(customer)).toEqual(Array.from({ length: count }, (_, index) => `${customer} ${index}`));
    });

    it("the messages of a node that is killed run on another node when their lease is over", async () => {
      const short = await TestCluster.start(store, { env: { SERVICE_CLUSTER_TTL: "5s" }, nodes: [{ isKillable: true }] });
      onTestFinished(() => short.end());
      await short.deploy(0, "load", durableFlow(short.partner.url, "held"));
      short.partner.isHolding = true;
      const ids = ["one", "two", "three"];
      for (const id of ids) expect(await post(short.node(0), "/api/in", id)).toBe(202);
      await eventually(() => ids.every((id) => short.arrived.has(id)));
      await short.startNode(1);
      short.partner.isHolding = false;
      await short.kill(0);
      await eventually(() => ids.every((id) => (short.arrived.get(id) as number) > 1));
    });
  });
