// Flows that must run on one node: any node accepts their requests, and one node runs them.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSlotsHeld } from "./cluster-groups.ts";
import { clusterUnderLoad, post, type ClusterUnderLoad } from "./cluster-load.ts";
import { startStore } from "./cluster-stores.ts";
import type { SpawnedServer } from "./spawned-server.ts";
import { call, eventually } from "./started-server.ts";

const { title, server, urlOf } = await startStore("tied");

describe.skipIf(server === undefined)(`a flow that runs on one node (needs ${title})`, () => {
  const store = server as TestServer;
  let cluster: ClusterUnderLoad;
  const node = (index: number): SpawnedServer => cluster.nodes[index] as SpawnedServer;
  const holders = async (index: number): Promise<readonly string[]> =>
    (await node(index).api("GET", "/runs?flowId=group&limit=100")).json.runs.map(({ node: name }: any) => name);
  beforeAll(async () => {
    cluster = await clusterUnderLoad(urlOf(store), 3);
    await eventually(() => allSlotsHeld(node(0)), 60_000);
    const flow = `- route:
    id: group
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - resequence:
            simple: "\${body}"
            batchConfig: {batchSize: 3, batchTimeout: 60000}
            steps:
              - to: "${cluster.partnerUrl}/done?httpMethod=POST"
- route:
    id: once
    from:
      uri: "webhook:once?idempotency=true"
      steps:
        - setBody: {simple: "\${exchangeId}"}
`;
    const put = await node(0).putFlow("group", flow.replace(/- route:\n {4}id: once[\s\S]*/, ""));
    expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
    const once = await node(1).putFlow("once", flow.slice(flow.indexOf("- route:\n    id: once")));
    expect([once.status, once.json.error, once.json.cluster?.running]).toEqual([201, undefined, 3]);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.end();
  });

  it("orders the messages of all nodes", async () => {
    for (let number = 29; number >= 0; number--) expect(await post(node(number % 3), "/api/group", `m${String(number).padStart(2, "0")}`)).toBe(200);
    await eventually(() => cluster.arrived.size === 30);
    const batches = Array.from({ length: 10 }, (_, index) => cluster.order.slice(3 * index, 3 * index + 3));
    expect(batches).toEqual(batches.map((batch) => batch.toSorted()));
    expect(new Set(batches.flat()).size).toBe(30);
    expect(new Set(await holders(0)).size).toBe(1);
  });

  it("passes request and reply through unchanged, and applies the idempotency key to all nodes", async () => {
    const replies = await Promise.all([0, 1, 2, 0, 1, 2].map((index) => call(node(index).baseUrl, "POST", "/api/once", "x", { "Idempotency-Key": "k1" })));
    const first = replies.find(({ status }) => status === 200);
    expect(first?.text).toBeTruthy();
    for (const index of [0, 1, 2]) {
      const repeated = await call(node(index).baseUrl, "POST", "/api/once", "x", { "Idempotency-Key": "k1" });
      expect([repeated.status, repeated.text, repeated.headers.get("x-run-id")]).toEqual([200, first?.text, first?.headers.get("x-run-id")]);
    }
    expect((await node(0).api("GET", "/runs?routeId=once")).json.total).toBe(1);
    const large = "ä".repeat(1_000_000);
    await cluster.nodes[0]?.putFlow("echo", '- route: {id: echo, from: {uri: "webhook?idempotency=true", steps: [{convertBodyTo: {type: String}}]}}\n');
    for (const index of [0, 1, 2]) expect((await call(node(index).baseUrl, "POST", "/api/echo", large)).text).toBe(large);
  });

  it("continues on another node when its node is killed", async () => {
    const [holder] = await holders(0);
    const killed = Number((holder as string).slice(1));
    const other = (killed + 1) % 3;
    await node(killed).end("SIGKILL");
    await eventually(async () => (await post(node(other), "/api/group", "after the kill")) === 200, 40_000);
    const now = new Set(await holders(other));
    expect([now.size, now.has(holder as string)]).toEqual([1, false]);
  });
});
