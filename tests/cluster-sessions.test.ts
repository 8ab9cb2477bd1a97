// Test sessions in a cluster: a session that was opened on one node mocks and records the calls that every node receives.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { durableFlow } from "./cluster-load.ts";
import { TestCluster, type ClusterNode } from "./cluster-nodes.ts";
import { startStore } from "./cluster-stores.ts";
import { call, eventually } from "./started-server.ts";

const store = await startStore();

describe.skipIf(store.server === undefined)(`test sessions in a cluster (needs ${store.title})`, () => {
  let cluster: TestCluster;
  const node = (index: number): ClusterNode => cluster.node(index);
  const order = async (index: number, body: string, headers = {}): Promise<string> => {
    const { status, text } = await call(node(index).baseUrl, "POST", "/api/order", body, headers);
    return status === 200 ? text : `${status} ${text}`;
  };
  const match = { uri: "http*" };
  const mocks = [{ id: "partner", match, sequence: [{ respond: { body: "first" } }, { respond: { body: "later" } }], then: "last" }];
  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{ isKillable: true }, {}, {}] });
    const flow = `- route: {id: order, from: {uri: webhook, steps: [{convertBodyTo: {type: String}}, {to: "${cluster.partner.url}/done?httpMethod=POST"}]}}\n`;
    await cluster.deploy(0, "order", flow);
  });
  afterAll(async () => {
    await cluster?.end();
    await store.server?.end();
  });

  it("mocks and records every call once and in order, whichever node receives it", async () => {
    const opened = await node(0).api("POST", "/test/session", { scope: "deployment", mocks });
    expect([opened.status, opened.json.error, opened.json.node, opened.json.incomplete]).toEqual([201, undefined, "n0", []]);
    const id = opened.json.sessionId;
    const replies: string[] = [];
    for (let number = 0; number < 30; number++) replies.push(await order(number % 3, `m${number}`));
    expect(replies).toEqual(["first", ...Array(29).fill("later")]);
    expect(cluster.arrived.size).toBe(0);
    for (const index of [0, 1, 2]) {
      const { json } = await node(index).api("GET", `/test/session/${id}`);
      expect(json.recordedCalls.map(({ request }: any) => request.body)).toEqual(Array.from({ length: 30 }, (_, number) => `m${number}`));
    }
    const closed = await node(2).api("DELETE", `/test/session/${id}`);
    expect([closed.status, closed.json.callCount]).toEqual([200, 30]);
    for (const index of [0, 1, 2]) await order(index, `real ${index}`);
    expect([...cluster.arrived.keys()].sort((a, b) => (a < b ? -1 : 1))).toEqual(["real 0", "real 1", "real 2"]);
    expect((await node(1).api("GET", `/test/session/${id}`)).status).toBe(404);
  });

  it("serves requests with the header of a session on another node, and opens a second session for the same flow on the node of the first", async () => {
    const first = await node(1).api("POST", "/test/session", { scope: "session", mocks });
    const second = await node(2).api("POST", "/test/session", { scope: "session", mocks: [{ id: "partner", match, respond: { body: "second" } }] });
    expect([first.json.node, second.status, second.json.node]).toEqual(["n1", 201, "n1"]);
    for (const index of [0, 1, 2]) expect(await order(index, "x", { "X-Test-Session": second.json.sessionId })).toBe("second");
    expect(await order(0, "unmocked")).not.toBe("second");
    expect(cluster.arrived.get("unmocked")).toBe(1);
    const invoked = await node(0).api("POST", "/test/invoke", { sessionId: first.json.sessionId, routeId: "order", body: "y" });
    expect([invoked.status, invoked.json.body]).toEqual([200, "first"]);
    for (const { json } of [first, second]) expect((await node(0).api("DELETE", `/test/session/${json.sessionId}`)).status).toBe(200);
    expect(await order(0, "x", { "X-Test-Session": second.json.sessionId })).toMatch(/^404 /);
  });

  it("rejects a session that mocks a flow whose messages any node may run", async () => {
    expect((await node(0).putFlow("durable", durableFlow(cluster.partner.url))).status).toBe(201);
    const refused = await node(0).api("POST", "/test/session", { mocks: [{ id: "all", match, respond: { body: "x" } }] });
    expect([refused.status, refused.json.error]).toEqual([expect.any(Number), expect.stringContaining("not supported in a cluster yet")]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await node(1).api("DELETE", "/flows/durable")).status).toBe(200);
  });

  it("is closed when its node is killed", async () => {
    const opened = await node(0).api("POST", "/test/session", { scope: "deployment", mocks, ttlMs: 600_000 });
    expect(opened.status).toBe(201);
    expect(await order(1, "mocked")).toBe("first");
    await cluster.kill(0);
    await eventually(async () => {
      await order(1, "after the end");
      return cluster.arrived.has("after the end");
    });
    expect((await node(1).api("GET", `/test/session/${opened.json.sessionId}`)).status).toBe(404);
  });
});
