// Dead letters of a cluster: any node lists, shows, replays and deletes all of them, whichever node stored them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "./cluster-load.ts";
import { TestCluster, type ClusterNode } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { eventually } from "./started-server.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const store = await startStore();

describe.skipIf(store.server === undefined)(`dead letters in a cluster (needs ${store.title})`, () => {
  let cluster: TestCluster;
  const node = (index: number): ClusterNode => cluster.node(index);
  const deadLettersOf = async (index: number, query = ""): Promise<readonly any[]> => (await node(index).api("GET", `/dead-letters${query}`)).json.deadLetters;
  /** A message that fails is stored by the node that received its request. */
  const flow = (): string => `- route:
    id: orders
    errorHandler:
      deadLetterChannel: {deadLetterUri: "sluice:dead-letters"}
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - setProperty: {name: before, simple: "\${body}"}
        - setBody: {simple: "\${body}"}
        - to: "${cluster.partner.url}/done?httpMethod=POST&throwExceptionOnFailure=true"
`;
  beforeAll(async () => {
    cluster = await TestCluster.start(store, { env: { SERVICE_CLUSTER_KEY: key }, nodes: [{}, { isKillable: true }] });
    await cluster.deploy(0, "orders", flow());
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("each node lists and shows the dead letters of the other one, with the node that stored them", async () => {
    await post(node(0), "/api/orders", "poison from zero");
    await post(node(1), "/api/orders", "poison from one");
    for (const index of [0, 1]) {
      await eventually(async () => (await deadLettersOf(index)).length === 2);
      expect((await deadLettersOf(index)).map(({ node: name, routeId }) => [name, routeId])).toEqual([
        ["n1", "orders"],
        ["n0", "orders"],
      ]);
      const [found] = await deadLettersOf(index, "?text=FROM%20ONE");
      expect(found.node).toBe("n1");
      const { json } = await node(index).api("GET", `/dead-letters/${found.id}`);
      expect([json.id, json.message.body, json.error.routeId]).toEqual([found.id, "poison from one", "orders"]);
      expect((await node(index).api("GET", "/metrics")).text).toContain("\nsluice_dead_letters 2\n");
    }
    expect((await node(0).api("GET", "/dead-letters/unknown")).status).toBe(404);
  });

  it("a replay on any node removes the dead letter everywhere if it succeeds, and updates it if it fails", async () => {
    const [deadLetter] = await deadLettersOf(0, "?text=from%20one");
    const failedReplay = await node(0).api("POST", `/dead-letters/${deadLetter.id}/replay`);
    expect([failedReplay.status, failedReplay.json.replayed]).toEqual([200, false]);
    await eventually(async () => (await deadLettersOf(1, "?text=from%20one"))[0].attempts === deadLetter.attempts + 1);
    expect((await deadLettersOf(1)).length).toBe(2);
    const repaired = await node(1).putFlow("orders", flow().replace(`simple: "\${body}"}\n        - to`, "constant: repaired}\n        - to"));
    expect([repaired.status, repaired.json.cluster.running]).toEqual([200, 2]);
    const results = await Promise.all([0, 1].map((index) => node(index).api("POST", `/dead-letters/${deadLetter.id}/replay`)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(results.every(({ status }) => [200, 404, 409].includes(status))).toBe(true);
    expect(cluster.arrived.get("repaired")).toBe(1);
    for (const index of [0, 1]) await eventually(async () => (await deadLettersOf(index)).length === 1);
    const all = await node(1).api("POST", "/dead-letters/replay", { routeId: "orders" });
    expect([all.status, all.json.total, all.json.replayed]).toEqual([200, 1, 1]);
    for (const index of [0, 1]) await eventually(async () => (await deadLettersOf(index)).length === 0);
  });

  it("a node deletes dead letters that another node stored, one or many", async () => {
    expect((await node(0).putFlow("orders", flow())).status).toBe(200);
    for (let number = 0; number < 10; number++) await post(node(number % 2), "/api/orders", `poison ${number}`);
    await eventually(async () => (await deadLettersOf(1)).length === 10);
    const [deadLetter] = await deadLettersOf(1, "?text=poison%204");
    expect((await node(1).api("DELETE", `/dead-letters/${deadLetter.id}`)).json).toEqual({ id: deadLetter.id, deleted: true });
    await eventually(async () => (await deadLettersOf(0)).length === 9);
    expect((await node(0).api("DELETE", `/dead-letters/${deadLetter.id}`)).status).toBe(404);
    expect((await node(0).api("DELETE", "/dead-letters?routeId=orders")).json.deleted).toBe(9);
    await eventually(async () => (await deadLettersOf(1)).length === 0);
  });

  it("a dead letter survives a crash of its node, which lists it again after a restart", async () => {
    expect(await post(node(1), "/api/orders", "poison and killed")).toBe(200);
    await cluster.kill(1);
    await eventually(async () => (await deadLettersOf(0)).length === 1);
    await cluster.startNode(1, { isKillable: true });
    const [deadLetter] = await deadLettersOf(1);
    expect((await node(1).api("GET", `/dead-letters/${deadLetter.id}`)).json.message.body).toBe("poison and killed");
  });
});
