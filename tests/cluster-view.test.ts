// One API for the whole cluster: runs, statistics, captures and event streams of all nodes through any of them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "./cluster-load.ts";
import { TestCluster, type ClusterNode } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { follow } from "./several-workers.ts";
import { eventually } from "./started-server.ts";

const store = await startStore();

const flow = `- route:
    id: count
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - log: "counted \${body}"
        - setBody: {simple: "\${body}!"}
`;

describe.skipIf(store.server === undefined)(`the API of a cluster (needs ${store.title})`, () => {
  let cluster: TestCluster;
  const node = (index: number): ClusterNode => cluster.node(index);
  const indexes = [0, 1, 2];
  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{}, {}, { isKillable: true }] });
    await cluster.deploy(0, "count", flow);
    for (let number = 0; number < 30; number++) expect(await post(node(number % 3), "/api/count", `order-${number}.`)).toBe(200);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("lists the runs of all nodes on each node, filtered and in pages, newest first", async () => {
    for (const index of indexes) {
      const json = await cluster.list(index, "/runs?routeId=count&limit=100");
      expect([json.total, json.runs.length]).toEqual([30, 30]);
      expect(json.runs.map(({ node: name }: any) => name)).toEqual(Array.from({ length: 30 }, (_, at) => `n${(29 - at) % 3}`));
    }
    // Ids of runs are searched too: this text cannot be part of an id.
    const found = await cluster.list(1, "/runs?text=order-17.");
    expect(found.runs.map(({ node: name }: any) => name)).toEqual(["n2"]);
    expect((await cluster.list(0, "/runs?flowId=other")).total).toBe(0);
    const pages: string[] = [];
    for (let cursor = "newest", page = 0; cursor !== null; page++) {
      const json = await cluster.list(page % 3, `/runs?routeId=count&limit=7&cursor=${cursor}`);
      pages.push(...json.runs.map(({ id }: any) => id));
      cursor = json.next;
    }
    const all = (await cluster.list(2, "/runs?routeId=count&limit=100")).runs.map(({ id }: any) => id);
    expect(pages).toEqual(all);
  });

  it("shows and replays a run of another node", async () => {
    const json = await cluster.list(0, "/runs?routeId=count&limit=3");
    for (const { id, node: name } of json.runs)
      for (const index of indexes) {
        const run = await node(index).api("GET", `/runs/${id}`);
        expect([run.status, run.json.id, run.json.node, run.json.replayable]).toEqual([200, id, name, true]);
      }
    const other = json.runs.find(({ node: name }: any) => name === "n2");
    const replayed = await node(0).api("POST", `/runs/${other.id}/replay`, {});
    expect([replayed.status, replayed.json.replayOf, replayed.json.diff.same]).toEqual([200, other.id, true]);
    expect((await node(0).api("GET", `/runs/${replayed.json.runId}`)).json.node).toBe("n2");
    for (const index of indexes) expect((await cluster.list(index, "/runs?kind=replay")).runs.map(({ id }: any) => id)).toEqual([replayed.json.runId]);
    const missing = await node(1).api("GET", "/runs/run_unknown");
    expect([missing.status, missing.json.error]).toEqual([404, "run 'run_unknown' not found"]);
  });

  it("sums the statistics of all nodes on request", async () => {
    const ownTotal = (await node(0).api("GET", "/health")).json.routes.find(({ id }: any) => id === "count").total;
    const { routes } = await cluster.list(0, "/health?scope=cluster");
    expect(routes.find(({ id }: any) => id === "count").total).toBe(31);
    expect(ownTotal).toBeLessThan(31);
    const metrics = async (scope: string): Promise<number> =>
      Number(/sluice_runs_total\{[^}]*route="count"[^}]*status="completed"[^}]*\} (\d+)/.exec((await node(1).api("GET", `/metrics${scope}`)).text)?.[1]);
    expect(await metrics("")).toBe(10);
    // A node that is too busy to respond in time is asked again.
    await expect.poll(() => metrics("?scope=cluster")).toBe(31);
    expect((await node(1).api("GET", "/metrics?scope=cluster")).text).toContain("\nsluice_cluster_nodes 3\n");
  });

  it("captures the messages of a route on all nodes", async () => {
    const started = await node(0).api("POST", "/routes/count/capture", { forMs: 60_000 });
    expect([started.status, started.json.active, started.json.incomplete]).toEqual([200, true, []]);
    await post(node(1), "/api/count", "captured");
    const [run] = (await cluster.list(2, "/runs?text=captured")).runs;
    const detail = (await node(2).api("GET", `/runs/${run.id}`)).json;
    expect([detail.node, detail.messages.map(({ body }: any) => body)]).toEqual(["n1", ["captured", "captured", "captured"]]);
    expect((await node(2).api("GET", "/routes/count/capture")).json.bytes).toBeGreaterThan(0);
    const stopped = await node(2).api("DELETE", "/routes/count/capture");
    expect([stopped.status, stopped.json.active]).toEqual([200, false]);
    expect((await node(1).api("GET", "/routes/count/capture")).json.active).toBe(false);
  });

  it("streams trace and log events of all nodes, each with its node", async () => {
    const trace = await follow(node(0), "/trace/stream?routeId=count&type=run.completed");
    const other = await follow(node(1), "/trace/stream?routeId=count&type=run.completed");
    const log = await follow(node(0), "/logs/stream?grep=counted%20s");
    const sent: string[] = [];
    const send = async (number: number): Promise<void> => {
      sent.push(`n${number % 3}`);
      await post(node(number % 3), "/api/count", `s${number}`);
    };
    for (let number = 0; number < 30; number++) await send(number);
    for (const { events } of [trace, other, log]) await eventually(() => events.length >= 30);
    // A repeated event would arrive before these.
    for (let number = 30; number < 33; number++) await send(number);
    for (const stream of [trace, other, log]) {
      await eventually(() => stream.events.length >= 33);
      stream.close();
      expect(stream.events).toHaveLength(33);
      expect(new Set(stream.events.map(({ id }: any) => id)).size).toBe(33);
      const names: string[] = stream.events.map(({ node: name }: any) => name);
      expect(names.toSorted()).toEqual(sent.toSorted());
      // The events of one node arrive in order; those of different nodes may overtake each other.
      for (const name of ["n0", "n1", "n2"]) {
        const times = stream.events.filter((event: any) => event.node === name).map(({ at }: any) => Date.parse(at));
        expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
      }
    }
  });

  it("names a node that does not respond, and does not wait for it", async () => {
    process.kill(node(2).pid as number, "SIGSTOP");
    try {
      const { json } = await node(0).api("GET", "/runs?routeId=count&limit=10");
      expect([json.incomplete, json.runs.length > 0]).toEqual([[{ node: "n2", reason: "did not respond in time" }], true]);
      const run = await node(0).api("GET", "/runs/run_unknown");
      expect([run.status, run.json.error]).toEqual([
        404,
        "'run_unknown' not found, but some nodes did not respond: node 'n2' did not respond in time; try again",
      ]);
    } finally {
      process.kill(node(2).pid as number, "SIGCONT");
    }
  });

  it("continues without a node that was killed", async () => {
    await cluster.kill(2);
    const json = await cluster.list(0, "/runs?routeId=count&limit=10");
    expect(json.runs.length).toBeGreaterThan(0);
    expect(json.runs.every(({ node: name }: any) => name !== "n2")).toBe(true);
  });
});
