// Sagas in a cluster: when the node of a saga dies, another node compensates its participants, or completes them if the saga had succeeded.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSlotsHeld } from "./cluster-groups.ts";
import { clusterUnderLoad, post, type ClusterUnderLoad } from "./cluster-load.ts";
import { startStore } from "./cluster-stores.ts";
import type { SpawnedServer } from "./spawned-server.ts";
import { eventually, sleep } from "./started-server.ts";

/** The endpoints send `<outcome> <part> <order> <node>`; `hold` is where the saga waits. */
const flowOf = (partner: string, id: string, hold: "inside" | "completion"): string => {
  const send = (outcome: string, part: string, path = "done"): string => `- route:
    id: ${id}-${outcome}-${part}
    from:
      uri: direct:${id}-${outcome}-${part}
      steps:
        - setBody: {simple: "${outcome} ${part} \${header.order} {{env:NODE_NAME}}"}
        - to: "${partner}/${path}?httpMethod=POST"
`;
  return `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - saga:
            compensation: direct:${id}-undo-one
            completion: direct:${id}-end-one
            option: [{key: order, simple: "\${body}"}]
            steps:
              - to: direct:${id}-two
              - to: "${partner}/${hold === "inside" ? "held" : "done"}?httpMethod=POST"
- route:
    id: ${id}-two
    from:
      uri: direct:${id}-two
      steps:
        - saga:
            propagation: MANDATORY
            compensation: direct:${id}-undo-two
            completion: direct:${id}-end-two
            option: [{key: order, simple: "\${body}"}]
            steps:
              - log: "part of \${body}"
${send("undo", "one")}${send("undo", "two")}${send("end", "one", hold === "completion" ? "held" : "done")}${send("end", "two")}`;
};

const { title, server, urlOf } = await startStore("sagas");

describe.skipIf(server === undefined)(`sagas in a cluster (needs ${title})`, () => {
  const store = server as TestServer;
  let cluster: ClusterUnderLoad;
  const node = (index: number): SpawnedServer => cluster.nodes[index] as SpawnedServer;
  const calls = (outcome: string, order: string): readonly string[] => cluster.order.filter((line) => new RegExp(`^${outcome} \\w+ ${order} `).test(line));
  let orders = 0;
  /** A retried test must not see the calls of its first attempt. */
  const newOrder = (name: string): string => `${name}${++orders}`;
  beforeAll(async () => {
    cluster = await clusterUnderLoad(urlOf(store), 3);
    await eventually(() => allSlotsHeld(node(0)), 60_000);
    for (const [id, hold] of [
      ["inside", "inside"],
      ["after", "completion"],
    ] as const) {
      const put = await node(0).putFlow(id, flowOf(cluster.partnerUrl, id, hold));
      expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
    }
  }, 120_000);
  afterAll(async () => {
    await cluster?.end();
    await store.end();
  });

  it("runs on every node, and completes each saga once", async () => {
    const names = [0, 1, 2].map(() => newOrder("o"));
    for (const [index, name] of names.entries()) expect(await post(node(index), "/api/inside", name)).toBe(200);
    for (const name of names) await eventually(() => calls("end", name).length === 2);
    const runs = (await node(0).api("GET", "/runs?routeId=inside&limit=10")).json.runs;
    expect(new Set(runs.map((run: any) => run.node)).size).toBe(3);
    await sleep(2_000);
    expect(cluster.order.filter((line) => line.startsWith("undo"))).toEqual([]);
    expect(names.map((name) => calls("end", name).length)).toEqual([2, 2, 2]);
  });

  it("compensates the saga of a node that is killed, the latest participant first", async () => {
    for (const killed of [0, 1]) {
      const order = newOrder("killed");
      cluster.partner.isHolding = true;
      const reply = post(node(killed), "/api/inside", order);
      await eventually(() => cluster.arrived.has(order));
      await node(killed).end("SIGKILL");
      cluster.partner.isHolding = false;
      expect(await reply).toBe(0);
      await eventually(() => calls("undo", order).length === 2, 40_000);
      await sleep(1_500);
      expect(calls("undo", order).map((line) => line.split(" ")[1])).toEqual(["two", "one"]);
      expect(calls("undo", order).some((line) => line.endsWith(`n${killed}`))).toBe(false);
      expect(calls("end", order)).toEqual([]);
      await cluster.killAndRestart(killed);
      await eventually(() => allSlotsHeld(node(killed)), 60_000);
    }
  }, 120_000);

  it("completes the saga of a node that is killed after the saga succeeded", async () => {
    const order = newOrder("paid");
    cluster.partner.isHolding = true;
    expect(await post(node(2), "/api/after", order)).toBe(200);
    await eventually(() => calls("end", order).length === 2);
    await node(2).end("SIGKILL");
    cluster.partner.isHolding = false;
    await eventually(() => calls("end", order).length === 4, 40_000);
    expect(
      calls("end", order)
        .slice(2)
        .every((line) => !line.endsWith("n2")),
    ).toBe(true);
    expect(calls("undo", order)).toEqual([]);
    await cluster.killAndRestart(2);
  }, 120_000);
});
