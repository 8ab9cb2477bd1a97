// Flows that must run on one node: any node accepts their requests, and one node runs them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "./cluster-load.ts";
import { idKeptBy, TestCluster } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { call, eventually } from "./started-server.ts";

const store = await startStore();
const [group, once, echo] = ["group", "once", "echo"].map((prefix) => idKeptBy("n0", prefix)) as [string, string, string];

describe.skipIf(store.server === undefined)(`a flow that runs on one node (needs ${store.title})`, () => {
  let cluster: TestCluster;
  const holders = async (index: number): Promise<readonly string[]> =>
    (await cluster.list(index, `/runs?flowId=${group}&limit=100`)).runs.map(({ node: name }: any) => name);
  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{ isKillable: true }, {}, {}] });
    await cluster.deploy(
      0,
      group,
      `- route:
    id: ${group}
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - resequence:
            simple: "\${body}"
            batchConfig: {batchSize: 3, batchTimeout: 3600000}
            steps:
              - to: "${cluster.partner.url}/done?httpMethod=POST"
`,
    );
    await cluster.deploy(1, once, `- route: {id: ${once}, from: {uri: "webhook?idempotency=true", steps: [{setBody: {simple: "\${exchangeId}"}}]}}\n`);
    await cluster.deploy(0, echo, `- route: {id: ${echo}, from: {uri: "webhook?idempotency=true", steps: [{convertBodyTo: {type: String}}]}}\n`);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("orders the messages of all nodes", async () => {
    for (let number = 29; number >= 0; number--) expect(await post(cluster.node(number % 3), `/api/${group}`, `m${String(number).padStart(2, "0")}`)).toBe(200);
    await eventually(() => cluster.arrived.size === 30);
    const batches = Array.from({ length: 10 }, (_, index) => cluster.order.slice(3 * index, 3 * index + 3));
    expect(batches).toEqual(batches.map((batch) => batch.toSorted()));
    expect(new Set(batches.flat()).size).toBe(30);
    expect(new Set(await holders(0))).toEqual(new Set(["n0"]));
  });

  it("passes request and reply through unchanged, and applies the idempotency key to all nodes", async () => {
    const replies = await Promise.all(
      [0, 1, 2, 0, 1, 2].map((index) => call(cluster.node(index).baseUrl, "POST", `/api/${once}`, "x", { "Idempotency-Key": "k1" })),
    );
    const first = replies.find(({ status }) => status === 200);
    expect(first?.text).toBeTruthy();
    for (const index of [0, 1, 2]) {
      const repeated = await call(cluster.node(index).baseUrl, "POST", `/api/${once}`, "x", { "Idempotency-Key": "k1" });
      expect([repeated.status, repeated.text, repeated.headers.get("x-run-id")]).toEqual([200, first?.text, first?.headers.get("x-run-id")]);
    }
    expect((await cluster.list(0, `/runs?routeId=${once}`)).total).toBe(1);
    const large = "ä".repeat(1_000_000);
    for (const index of [0, 1, 2]) expect((await call(cluster.node(index).baseUrl, "POST", `/api/${echo}`, large)).text).toBe(large);
  });

  it("continues on another node when its node is killed", async () => {
    await cluster.kill(0);
    // A request waits until another node has taken over the slot.
    expect(await post(cluster.node(1), `/api/${group}`, "after the kill")).toBe(200);
    const now = new Set(await holders(1));
    expect([now.size, now.has("n0")]).toEqual([1, false]);
  });
});
