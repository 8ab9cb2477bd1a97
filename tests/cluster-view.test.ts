// One API for the whole cluster: runs, statistics, captures and event streams of all nodes through any of them.
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterUnderLoad, post, type ClusterUnderLoad } from "./cluster-load.ts";
import { startStore } from "./cluster-stores.ts";
import { follow } from "./several-workers.ts";
import type { SpawnedServer } from "./spawned-server.ts";
import { eventually, sleep } from "./started-server.ts";

const { title, server, urlOf } = await startStore("view");

const flow = `- route:
    id: count
    from:
      uri: webhook
      steps:
        - convertBodyTo: {type: String}
        - log: "counted \${body}"
        - setBody: {simple: "\${body}!"}
`;

describe.skipIf(server === undefined)(`the API of a cluster (needs ${title})`, () => {
  const store = server as TestServer;
  let cluster: ClusterUnderLoad;
  const node = (index: number): SpawnedServer => cluster.nodes[index] as SpawnedServer;
  const indexes = [0, 1, 2];
  beforeAll(async () => {
    cluster = await clusterUnderLoad(urlOf(store), 3);
    for (const index of indexes) await eventually(async () => (await node(index).api("GET", "/nodes")).json.nodes.every(({ ready }: any) => ready));
    await eventually(async () => (await node(0).api("GET", "/nodes")).json.nodes.length === 3);
    const put = await node(0).putFlow("count", flow);
    expect([put.status, put.json.error, put.json.cluster?.running]).toEqual([201, undefined, 3]);
    for (let number = 0; number < 30; number++) expect(await post(node(number % 3), "/api/count", `order-${number}.`)).toBe(200);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.end();
  });

  it("lists the runs of all nodes on each node, filtered and in pages, newest first", async () => {
    for (const index of indexes) {
      const { json } = await node(index).api("GET", "/runs?routeId=count&limit=100");
      expect([json.total, json.runs.length, json.incomplete]).toEqual([30, 30, []]);
      expect(json.runs.map(({ node: name }: any) => name)).toEqual(Array.from({ length: 30 }, (_, at) => `n${(29 - at) % 3}`));
    }
    // Ids of runs are searched too: this text cannot be part of an id.
    const found = (await node(1).api("GET", "/runs?text=order-17.")).json;
    expect(found.runs.map(({ node: name }: any) => name)).toEqual(["n2"]);
    expect((await node(0).api("GET", "/runs?flowId=other")).json.total).toBe(0);
    const pages: string[] = [];
    for (let cursor = "newest", page = 0; cursor !== null; page++) {
      const { json } = await node(page % 3).api("GET", `/runs?routeId=count&limit=7&cursor=${cursor}`);
      pages.push(...json.runs.map(({ id }: any) => id));
      cursor = json.next;
    }
    const all = (await node(2).api("GET", "/runs?routeId=count&limit=100")).json.runs.map(({ id }: any) => id);
    expect(pages).toEqual(all);
  });

  it("shows and replays a run of another node", async () => {
    const { json } = await node(0).api("GET", "/runs?routeId=count&limit=3");
    for (const { id, node: name } of json.runs)
      for (const index of indexes) {
        const run = await node(index).api("GET", `/runs/${id}`);
        expect([run.status, run.json.id, run.json.node, run.json.replayable]).toEqual([200, id, name, true]);
      }
    const other = json.runs.find(({ node: name }: any) => name === "n2");
    const replayed = await node(0).api("POST", `/runs/${other.id}/replay`, {});
    expect([replayed.status, replayed.json.replayOf, replayed.json.diff.same]).toEqual([200, other.id, true]);
    expect((await node(0).api("GET", `/runs/${replayed.json.runId}`)).json.node).toBe("n2");
    const missing = await node(1).api("GET", "/runs/run_unknown");
    expect([missing.status, missing.json.error]).toEqual([404, "run 'run_unknown' not found"]);
  });

  it("sums the statistics of all nodes on request", async () => {
    const ownTotal = (await node(0).api("GET", "/health")).json.routes.find(({ id }: any) => id === "count").total;
    const { routes, incomplete } = (await node(0).api("GET", "/health?scope=cluster")).json;
    expect(routes.find(({ id }: any) => id === "count").total).toBe(31);
    expect([ownTotal < 31, incomplete]).toEqual([true, []]);
    const metrics = async (scope: string): Promise<number> =>
      Number(/sluice_runs_total\{[^}]*route="count"[^}]*status="completed"[^}]*\} (\d+)/.exec((await node(1).api("GET", `/metrics${scope}`)).text)?.[1]);
    expect([await metrics(""), await metrics("?scope=cluster")]).toEqual([10, 31]);
    expect((await node(1).api("GET", "/metrics?scope=cluster")).text).toContain("\nsluice_cluster_nodes 3\n");
  });

  it("captures the messages of a route on all nodes", async () => {
    const started = await node(0).api("POST", "/routes/count/capture", { forMs: 60_000 });
    expect([started.status, started.json.active, started.json.incomplete]).toEqual([200, true, []]);
    await post(node(1), "/api/count", "captured");
    const [run] = (await node(2).api("GET", "/runs?text=captured")).json.runs;
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
    for (let number = 0; number < 60; number++) {
      sent.push(`n${number % 3}`);
      await post(node(number % 3), "/api/count", `s${number}`);
    }
    for (const stream of [trace, other, log]) {
      await eventually(() => stream.events.length >= 60);
      await sleep(300);
      stream.close();
      expect(stream.events).toHaveLength(60);
      expect(new Set(stream.events.map(({ id }: any) => id)).size).toBe(60);
      const names: string[] = stream.events.map(({ node: name }: any) => name);
      expect(names.toSorted()).toEqual(sent.toSorted());
      // The events of one node arrive in order; those of different nodes may overtake each other.
      for (const name of ["n0", "n1", "n2"]) {
        const times = stream.events.filter((event: any) => event.node === name).map(({ at }: any) => Date.parse(at));
        expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
      }
    }
  });

  it("names a node that does not respond, and does not wait for it longer than 5 s", async () => {
    process.kill(node(2).pid, "SIGSTOP");
    try {
      const startTime = performance.now();
      const { json } = await node(0).api("GET", "/runs?routeId=count&limit=10");
      expect([json.incomplete, json.runs.length > 0]).toEqual([[{ node: "n2", reason: "did not respond in time" }], true]);
      const run = await node(0).api("GET", "/runs/run_unknown");
      expect([run.status, run.json.error]).toEqual([
        404,
        "'run_unknown' not found, but some nodes did not respond: node 'n2' did not respond in time; try again",
      ]);
      expect(performance.now() - startTime).toBeLessThan(5_000);
    } finally {
      process.kill(node(2).pid, "SIGCONT");
    }
  });

  it("continues without a node that was killed", async () => {
    await node(2).end("SIGKILL");
    const startTime = performance.now();
    const { json } = await node(0).api("GET", "/runs?routeId=count&limit=10");
    expect(performance.now() - startTime).toBeLessThan(5_000);
    expect(json.runs.every(({ node: name }: any) => name !== "n2")).toBe(true);
    await eventually(async () => (await node(0).api("GET", "/runs?routeId=count")).json.incomplete.length === 0, 15_000);
  });
});
