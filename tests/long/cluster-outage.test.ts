// A store that stays unavailable for longer than operations wait for it (10 s): what a cluster rejects, and how it recovers.
import { createHmac } from "node:crypto";
import type { TestServer } from "@sluice/testkit";
import { expect, it } from "vitest";
import { durableFlow } from "../cluster-load.ts";
import { TestCluster } from "../cluster-nodes.ts";
import { startNats, startPostgres } from "../cluster-stores.ts";
import { call, eventually, replyFlow } from "../started-server.ts";

const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";

for (const store of [await startNats(), await startPostgres()])
  it.skipIf(store.server === undefined)(`a cluster whose store is down serves webhooks, rejects changes, and recovers (needs ${store.title})`, async () => {
    const server = store.server as TestServer;
    const cluster = await TestCluster.start(store, { env: { SERVICE_CLUSTER_TTL: "5s", SIGNING_SECRET: signingSecret }, nodes: [{}, {}] });
    const [one, two] = [cluster.node(0), cluster.node(1)];
    const sendSigned = async (body: string): Promise<readonly number[]> => {
      const time = String(Math.floor(Date.now() / 1_000));
      const signature = `v0=${createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex")}`;
      const headers = { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature };
      const statuses = await Promise.all([one, two].map(async ({ baseUrl }) => (await call(baseUrl, "POST", "/api/signed", body, headers)).status));
      return statuses.toSorted((a, b) => a - b);
    };
    try {
      await cluster.deploy(0, "load", durableFlow(cluster.partner.url));
      await cluster.deploy(0, "steady", replyFlow("steady", "on"));
      await cluster.deploy(0, "signed", replyFlow("signed", "welcome"));
      const policy = { authenticate: [{ type: "hmac", preset: "slack", secrets: [{ env: "SIGNING_SECRET" }] }] };
      expect((await one.api("PUT", "/auth/signed", policy)).status).toBe(201);
      expect(await sendSigned("up")).toEqual([200, 401]);

      await server.kill();
      let isOver = false;
      const failed: string[] = [];
      let calls = 0;
      const serving = (async () => {
        for (; !isOver; calls++) {
          const { status, text } = await call((calls % 2 === 0 ? one : two).baseUrl, "POST", "/api/steady");
          if (text !== "on") failed.push(`${status} ${text}`);
        }
      })();
      const [put, durable, signed] = await Promise.all([
        one.putFlow("steady", replyFlow("steady", "off")),
        call(two.baseUrl, "POST", "/api/in", "long"),
        sendSigned("down"),
      ]);
      expect([put.status, put.json.error]).toEqual([503, "cluster store unreachable: nothing was changed"]);
      expect([durable.status, signed]).toEqual([503, [503, 503]]);
      expect((await two.api("GET", "/health")).json).toMatchObject({ status: "DEGRADED", cluster: { connectivity: "disconnected" } });
      isOver = true;
      await serving;
      expect([failed, calls > 100]).toEqual([[], true]);

      await server.restart();
      await eventually(async () => (await call(two.baseUrl, "POST", "/api/in", "after")).status === 202, 120_000);
      await eventually(() => cluster.arrived.has("after"), 120_000);
      let attempts = 0;
      await eventually(async () => (await sendSigned(`up ${++attempts}`)).join() === "200,401", 120_000);
      for (const { api } of [one, two]) await eventually(async () => (await api("GET", "/health")).json.cluster.connectivity === "connected", 120_000);
      await eventually(async () => (await two.putFlow("steady", replyFlow("steady", "back"))).status === 200, 120_000);
    } finally {
      await cluster.end();
      await server.end();
    }
  });
