// A node that lacks an environment variable that a flow needs. The other nodes have it.
import { expect, it } from "vitest";
import { clusterUnderLoad } from "../cluster-load.ts";
import { route } from "../several-workers.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { call, eventually, replyFlow } from "../started-server.ts";
import { stores } from "./cluster-stores.ts";

const recoveryMs = 60_000;

it.for(Object.entries(stores))(
  "on %s, a node without a variable is reported as behind, and its requests are served by other nodes",
  { timeout: 300_000 },
  async ([, open], { skip }) => {
    const store = await open();
    if (store === undefined) return skip("the store is not installed");
    let isSetOnLast = false;
    const cluster = await clusterUnderLoad(store.url, 3, store.env, (index): Record<string, string> => (index < 2 || isSetOnLast ? { PARTNER: "acme" } : {}));
    try {
      const [one, two, last] = cluster.nodes as [SpawnedServer, SpawnedServer, SpawnedServer];
      await eventually(async () => (await one.api("GET", "/nodes")).json.nodes.length === 3);
      const flow = (id: string, text: string): string => route(id, "webhook", `setBody: {simple: "${text} {{env:PARTNER}} \${body}"}`);
      const behind = [{ node: "n2", reason: expect.stringContaining("PARTNER") }];
      const repliesOf = (path: string): Promise<readonly string[]> =>
        Promise.all(cluster.nodes.map(async ({ baseUrl }) => (await call(baseUrl, "POST", path, "x")).text));

      // A new flow, and a new version of a flow whose previous version runs on every node.
      const created = await one.putFlow("named", flow("named", "first"));
      expect([created.status, created.json.cluster]).toMatchObject([201, { nodes: 3, running: 2, behind }]);
      expect(await repliesOf("/api/named")).toEqual(Array(3).fill("first acme x"));
      expect((await two.putFlow("known", replyFlow("known", "before"))).json.cluster).toMatchObject({ nodes: 3 });
      expect(await repliesOf("/api/known")).toEqual(Array(3).fill("before"));
      const replaced = await two.putFlow("known", flow("known", "after"));
      expect([replaced.status, replaced.json.cluster.running]).toEqual([200, 2]);
      expect(replaced.json.cluster.behind.map(({ node }: { node: string }) => node)).toEqual(["n2", "n2"]);
      expect(await repliesOf("/api/known")).toEqual(Array(3).fill("after acme x"));
      const health = (await last.api("GET", "/health")).json;
      expect([health.status, health.cluster.nodes.find(({ node }: { node: string }) => node === "n2").behind]).toMatchObject([
        "DEGRADED",
        [{ id: "flow/named" }, { id: "flow/known" }],
      ]);
      // A change through the node that lacks the variable is rejected, because that node starts the change first.
      expect((await last.putFlow("other", flow("other", "first"))).status).toBe(422);
      // A version that this node can start ends the forwarding.
      const fixed = await last.putFlow("known", replyFlow("known", "fixed"));
      expect([fixed.status, fixed.json.cluster]).toMatchObject([200, { running: 2, behind }]);
      expect(await repliesOf("/api/known")).toEqual(Array(3).fill("fixed"));
      expect((await two.putFlow("known", flow("known", "after"))).json.cluster.behind).toHaveLength(2);
      // One of the nodes that run the flow is lost.
      await two.end("SIGKILL");
      await eventually(async () => (await last.api("GET", "/nodes")).json.total === 2);
      for (let round = 0; round < 5; round++) expect((await call(last.baseUrl, "POST", "/api/known", "x")).text).toBe("after acme x");
      expect((await one.api("DELETE", "/flows/known")).status).toBe(200);
      expect((await call(last.baseUrl, "POST", "/api/known", "x")).status).toBe(404);

      // A restart without the variable changes nothing; a restart with it recovers.
      await cluster.killAndRestart(2);
      const lastNode = (): SpawnedServer => cluster.nodes[2] as SpawnedServer;
      expect((await call(lastNode().baseUrl, "POST", "/api/named", "x")).text).toBe("first acme x");
      isSetOnLast = true;
      await cluster.killAndRestart(2);
      await cluster.killAndRestart(1);
      expect(await repliesOf("/api/named")).toEqual(Array(3).fill("first acme x"));
      await eventually(async () => (await lastNode().api("GET", "/health")).json.status === "UP", recoveryMs);
      const { runs } = (await lastNode().api("GET", "/runs?routeId=named&limit=1")).json;
      expect(runs[0].status).toBe("completed");
      expect((await lastNode().putFlow("named", flow("named", "second"))).json.cluster).toMatchObject({ nodes: 3, running: 3, behind: [] });
    } catch (error) {
      for (const [index, node] of cluster.nodes.entries()) console.log(`--- n${index}\n${node.output().slice(-3_000)}`);
      throw error;
    } finally {
      await cluster.end();
      await store.end();
    }
  },
);
