// Sagas in a cluster: when the node of a saga dies, another node compensates its participants, or completes them if the saga had succeeded.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { slotOf } from "../packages/server/src/cluster/slots.ts";
import { post } from "./cluster-load.ts";
import { idGivenUpBy, idKeptBy, TestCluster } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { eventually } from "./started-server.ts";

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

const store = await startStore();
/** Node n0 holds the slots of the first two flows, node n1 that of the third. */
const [inside, after] = [idKeptBy("n0", "inside"), idKeptBy("n0", "after")];
const elsewhere = idGivenUpBy("n0", "elsewhere");

describe.skipIf(store.server === undefined)(`sagas in a cluster (needs ${store.title})`, () => {
  let cluster: TestCluster;
  const calls = (outcome: string, order: string): readonly string[] => cluster.order.filter((line) => new RegExp(`^${outcome} \\w+ ${order} `).test(line));
  const parts = (outcome: string, order: string): readonly string[] => calls(outcome, order).map((line) => line.split(" ")[1] as string);
  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{ isKillable: true }, {}] });
    for (const [id, hold] of [
      [inside, "inside"],
      [elsewhere, "inside"],
      [after, "completion"],
    ] as const)
      await cluster.deploy(0, id, flowOf(cluster.partner.url, id, hold));
    const slotsOfSecond = async (): Promise<readonly number[]> =>
      (await cluster.node(1).api("GET", "/nodes")).json.nodes.find(({ node }: { readonly node: string }) => node === "n1").slots;
    await eventually(async () => (await slotsOfSecond()).includes(slotOf(elsewhere)));
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("runs on every node, and completes each saga once", async () => {
    for (const index of [0, 1]) expect(await post(cluster.node(index), `/api/${inside}`, `o${index}`)).toBe(200);
    for (const name of ["o0", "o1"]) await eventually(() => calls("end", name).length === 2);
    const { runs } = await cluster.list(0, `/runs?routeId=${inside}&limit=10`);
    expect(new Set(runs.map((run: any) => run.node))).toEqual(new Set(["n0", "n1"]));
    // A second completion would happen before that of a later saga.
    expect(await post(cluster.node(0), `/api/${inside}`, "later")).toBe(200);
    await eventually(() => calls("end", "later").length === 2);
    expect(["o0", "o1"].map((name) => calls("end", name).length)).toEqual([2, 2]);
    expect(cluster.order.filter((line) => line.startsWith("undo"))).toEqual([]);
  });

  it("when a node is killed, other nodes compensate its sagas, the latest participant first, and complete those that had succeeded", async () => {
    cluster.partner.isHolding = true;
    const replies = [post(cluster.node(0), `/api/${inside}`, "broken"), post(cluster.node(0), `/api/${elsewhere}`, "cut")];
    expect(await post(cluster.node(0), `/api/${after}`, "paid")).toBe(200);
    await eventually(() => cluster.arrived.has("broken") && cluster.arrived.has("cut") && calls("end", "paid").length === 2);
    cluster.partner.isHolding = false;
    await cluster.kill(0);
    expect(await Promise.all(replies)).toEqual([0, 0]);
    await eventually(() => parts("undo", "broken").length === 2 && parts("undo", "cut").length === 2 && calls("end", "paid").length === 4);
    // A call that is made twice would happen before those of a later saga.
    for (const id of [inside, elsewhere]) expect(await post(cluster.node(1), `/api/${id}`, `after-${id}`)).toBe(200);
    for (const id of [inside, elsewhere]) await eventually(() => calls("end", `after-${id}`).length === 2);
    for (const order of ["broken", "cut"]) {
      expect(parts("undo", order)).toEqual(["two", "one"]);
      expect(calls("undo", order).every((line) => line.endsWith("n1"))).toBe(true);
      expect(calls("end", order)).toEqual([]);
    }
    expect(calls("end", "paid").map((line) => line.split(" ").at(-1))).toEqual(["n0", "n0", "n1", "n1"]);
    expect(calls("undo", "paid")).toEqual([]);
  });
});
