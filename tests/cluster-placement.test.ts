// Which nodes of a cluster run a source: one node for `master:`, the same node for the same name, and the nodes that `sluice.placement` selects.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "./cluster-load.ts";
import { idKeptBy, TestCluster } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { call, eventually } from "./started-server.ts";

const store = await startStore();
const lock = idKeptBy("n0", "lock");

describe.skipIf(store.server === undefined)(`the node of a source (needs ${store.title})`, () => {
  let cluster: TestCluster;
  /** The nodes that called the partner for a schedule, without the first calls. */
  const nodesOf = (schedule: string, from = 0): readonly string[] => [
    ...new Set(
      cluster.partner.beats
        .slice(from)
        .filter((beat) => beat.schedule === schedule)
        .map((beat) => beat.node),
    ),
  ];
  const beats = (schedule: string): number => cluster.partner.beats.filter((beat) => beat.schedule === schedule).length;
  const timer = (id: string, uri: string): string =>
    `- route: {id: ${id}, from: {uri: "${uri}", steps: [{to: "${cluster.partner.url}/beat?schedule=${id}&node={{env:NODE_NAME}}"}]}}\n`;
  const deploy = async (id: string, yaml: string, params: Readonly<Record<string, string>> = {}): Promise<void> => {
    const put = await cluster.node(0).api("PUT", `/flows/${id}`, { yaml, params });
    expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
  };
  /** The names of the nodes that reply when a request is sent to each node. */
  const replying = async (path: string): Promise<readonly string[]> => {
    const replies = await Promise.all(cluster.nodes.map(({ baseUrl }) => call(baseUrl, "POST", path, "x")));
    return replies.map(({ text }) => text.replaceAll('"', ""));
  };

  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{ isKillable: true }, {}, {}] });
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("is the same for all routes with the same name, and requests reach it through every node", async () => {
    await deploy("first", timer("first", `master:${lock}:timer:tick?delay=0&period=100`));
    await deploy("second", timer("second", `master:${lock}:timer:tick?delay=0&period=200`));
    await deploy("hook", `- route: {id: hook, from: {uri: "master:${lock}:webhook", steps: [{setBody: {constant: "{{env:NODE_NAME}}"}}]}}\n`);
    await eventually(() => beats("first") >= 10 && beats("second") >= 4);
    expect([nodesOf("first"), nodesOf("second")]).toEqual([["n0"], ["n0"]]);
    expect(await replying("/api/hook")).toEqual(["n0", "n0", "n0"]);
  });

  it("is every node with sluice.placement=all, and one with sluice.placement=one", async () => {
    await deploy("everywhere", timer("everywhere", "timer:tick?delay=0&period=200"), { "sluice.placement": "all" });
    await eventually(() => nodesOf("everywhere").length === 3);
    const single = idKeptBy("n0", "single");
    const yaml = `- route: {id: ${single}, from: {uri: webhook, steps: [{setBody: {constant: '{{env:NODE_NAME}}'}}]}}\n`;
    await deploy(single, yaml, { "sluice.placement": "one" });
    expect(await replying(`/api/${single}`)).toEqual(["n0", "n0", "n0"]);
    const wrong = await cluster.node(1).api("PUT", `/flows/${single}`, { yaml, params: { "sluice.placement": "two" } });
    expect([wrong.status, JSON.stringify(wrong.json)]).toEqual([422, expect.stringContaining("allowed: auto, one, all")]);
  });

  it("is replaced by another node when it is killed", async () => {
    await cluster.kill(0);
    const from = cluster.partner.beats.length;
    const isMoved = (schedule: string): boolean => nodesOf(schedule, from).some((node) => node !== "n0");
    await eventually(() => isMoved("first") && isMoved("second"));
    const [next] = nodesOf("first", from).filter((node) => node !== "n0");
    // A call that n0 had sent may arrive after its end.
    for (const schedule of ["first", "second"]) expect(nodesOf(schedule, from).filter((node) => node !== "n0")).toEqual([next]);
    expect(await post(cluster.node(1), "/api/hook", "x")).toBe(200);
  });
});
