// A cluster from the user's point of view: three equal runtimes as separate processes, with one NATS server.
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkSharedDocuments, documentVariables, variablesOfOthers } from "./cluster-documents.ts";
import { idKeptBy, TestCluster, type ClusterNode } from "./cluster-nodes.ts";
import { startNats, startPostgres, type TestStore } from "./cluster-stores.ts";
import { call, eventually, replyFlow, type ApiReply } from "./started-server.ts";

const echoPlugin = fileURLToPath(new URL("echo-plugin", import.meta.url));
const statuses = (replies: readonly ApiReply[]): readonly number[] => replies.map(({ status }) => status).sort((a, b) => a - b);
const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
const nodeEnv = { ...documentVariables, SERVICE_CONNECTORS: echoPlugin, SIGNING_SECRET: signingSecret };
/** The first node, which tests kill, has fewer variables than the others. */
const killable = { isKillable: true };

/** A cluster of this many nodes. */
const startCluster = (store: TestStore, count: number): Promise<TestCluster> =>
  TestCluster.start(store, { env: nodeEnv, nodes: [killable, ...Array.from({ length: count - 1 }, () => ({ env: variablesOfOthers }))] });

const nats = await startNats();

describe.skipIf(nats.server === undefined)("a cluster of three nodes (needs NATS)", () => {
  const store = nats.server as TestServer;
  let cluster: TestCluster;
  const [three, one, two] = [0, 1, 2].map((index) => () => cluster.node(index)) as [() => ClusterNode, () => ClusterNode, () => ClusterNode];
  const repliesOf = async (path: string): Promise<readonly string[]> =>
    Promise.all(
      cluster.nodes.map(async ({ baseUrl }) => {
        const { status, text } = await call(baseUrl, "POST", path);
        return status === 200 ? text : String(status);
      }),
    );
  const nodeList = async (node: ClusterNode): Promise<readonly { node: string; slots: number[]; applied: number }[]> =>
    (await node.api("GET", "/nodes")).json.nodes;

  beforeAll(async () => {
    cluster = await startCluster(nats, 3);
  });
  afterAll(async () => {
    await cluster?.end();
  });

  it("applies a change on every node before it replies", async () => {
    for (const [index, text] of ["first", "second", "third", "fourth"].entries()) {
      const reply = await cluster.node(index % 3).putFlow("greet", replyFlow("greet", text));
      expect(reply.status).toBe(index === 0 ? 201 : 200);
      expect(reply.json.cluster).toEqual({ revision: reply.json.revision, nodes: 3, running: 3, behind: [] });
      expect(await repliesOf("/api/greet")).toEqual([text, text, text]);
    }
    const { json } = await two().api("GET", "/flows/greet/versions");
    expect(json.versions.map(({ running }: any) => running)).toEqual([true, false, false, false]);
    const back = await three().api("POST", "/flows/greet/rollback", { revision: json.versions[2].revision });
    expect([back.status, back.json.cluster.running]).toEqual([200, 3]);
    expect(await repliesOf("/api/greet")).toEqual(["second", "second", "second"]);
    expect(await Promise.all(cluster.nodes.map(async (node) => (await node.api("GET", "/flows/greet")).headers.get("etag")))).toEqual(
      Array(3).fill(back.headers.get("etag")),
    );
    const removed = await two().api("DELETE", "/flows/greet");
    expect([removed.status, removed.json.cluster.running]).toEqual([200, 3]);
    expect(await repliesOf("/api/greet")).toEqual(["404", "404", "404"]);
  });

  it("shares parameters, tests, tables, mapping documents, policies and route states", async () => {
    const flow = `- route:\n    id: shared\n    from:\n      uri: webhook\n      steps:\n        - setBody:\n            simple: "{{greeting}} \${body}"\n`;
    const tests = 'flow: flow.yaml\ntests:\n  - name: greets\n    when: {webhook: shared, body: Ada}\n    then:\n      - reply: {body: "hello Ada"}\n';
    const put = await one().api("PUT", "/flows/shared?tests=required", { yaml: flow, params: { greeting: "hello" }, tests });
    expect([put.status, put.json.error, put.json.testsPassed]).toEqual([201, undefined, 1]);
    expect((await three().api("GET", "/flows/shared")).json).toMatchObject({ params: { greeting: "hello" }, tests: expect.stringContaining("greets") });
    for (const [path, document] of [
      ["/value-mappings/units", { columns: ["shop", "sap"], rows: [["piece", "ST"]] }],
      ["/auth/shared", { authenticate: [{ type: "apiKey", in: "header", name: "x-key", keys: [{ id: "k", key: "0123456789abcdef0123" }] }] }],
    ] as const) {
      const stored = await one().api("PUT", path, document);
      expect([path, stored.status, stored.json.error]).toEqual([path, 201, undefined]);
      expect(stored.json.cluster.running).toBe(3);
      const copies = await Promise.all(cluster.nodes.map((node) => node.api("GET", path)));
      expect(new Set(copies.map(({ headers }) => headers.get("etag"))).size).toBe(1);
      expect(copies.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    expect(await repliesOf("/api/shared")).toEqual(["401", "401", "401"]);
    expect((await two().api("DELETE", "/auth/shared")).status).toBe(200);
    expect((await repliesOf("/api/shared")).every((text) => text.startsWith("hello"))).toBe(true);
    await three().api("POST", "/routes/shared/stop");
    expect(await repliesOf("/api/shared")).toEqual(["503", "503", "503"]);
    await one().api("POST", "/routes/shared/start");
    expect((await repliesOf("/api/shared")).every((text) => text.startsWith("hello"))).toBe(true);
    for (const path of ["/value-mappings/units", "/flows/shared"]) expect((await three().api("DELETE", path)).status).toBe(200);
    for (const document of ["value mapping 'units'", "the access policy of flow 'shared'"])
      await eventually(() => one().output().includes(`Removed ${document} because another node removed it`));
    expect((await one().api("GET", "/value-mappings")).json.total).toBe(0);
  });

  it("shares connections and Kamelets, in the order in which flows need them", async () => {
    await checkSharedDocuments([one(), two(), three()], { kill: () => cluster.kill(0), restart: () => cluster.startNode(0, killable) });
  });

  it("accepts one of two flows with the same path that are deployed on two nodes at once", async () => {
    for (let round = 0; round < 20; round++) {
      const flow = (name: string): string => replyFlow(name, name).replace("uri: webhook", `uri: platform-http:/same${round}`);
      const replies = await Promise.all([one().putFlow(`a${round}`, flow(`a${round}`)), two().putFlow(`b${round}`, flow(`b${round}`))]);
      expect(statuses(replies)).toEqual([201, 409]);
      const winner = replies[0]?.status === 201 ? `a${round}` : `b${round}`;
      expect(await repliesOf(`/same${round}`)).toEqual([winner, winner, winner]);
      expect((await three().api("DELETE", `/flows/${winner}`)).status).toBe(200);
    }
    const lists = await Promise.all(cluster.nodes.map(async (node) => (await node.api("GET", "/flows")).json.flows.map(({ id }: any) => id)));
    expect(lists).toEqual([[], [], []]);
  });

  it("loses no update when several clients change one flow with If-Match", async () => {
    let { headers } = await one().putFlow("counter", replyFlow("counter", "0"));
    const accepted: string[] = [];
    let rejected = 0;
    for (let round = 0; round < 5; round++) {
      const etag = headers.get("etag") as string;
      const replies = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((client) =>
          cluster.node(client % 3).api("PUT", "/flows/counter", { yaml: replyFlow("counter", `r${round}c${client}`) }, { "if-match": etag }),
        ),
      );
      const winners = replies.filter(({ status }) => status === 200);
      expect(statuses(replies)).toEqual([200, 412, 412, 412, 412, 412]);
      rejected += replies.length - winners.length;
      headers = (winners[0] as (typeof winners)[number]).headers;
      accepted.push(headers.get("etag") as string);
      expect(new Set(await repliesOf("/api/counter")).size).toBe(1);
    }
    expect([new Set(accepted).size, rejected]).toEqual([5, 25]);
    await one().api("DELETE", "/flows/counter");
  });

  it("rejects features that are not supported in a cluster yet, with a message that names them", async () => {
    const route = (from: string, step: string): string => `- route:\n    id: refused\n    from:\n      uri: ${from}\n      steps:\n        - ${step}\n`;
    const resequence = 'resequence: {simple: "${body}", batchConfig: {batchSize: 2}, steps: [{log: x}]}';
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        route("queue:a", "to: file:/tmp"),
        /every node processes the messages of 'queue:a', but the flow must run on one node \(.*'file:\/tmp' is tied to one process\)/,
      ],
      [route('"webhook:w?durable=true"', resequence), /every node processes the messages of 'webhook:w\?durable=true'.*step 'resequence1' is stateful/],
      [route('"webhook:w?durable=true&idempotency=true"', resequence), /has idempotency keys, and the flow must run on one node/],
    ];
    for (const [yaml, message] of cases) {
      const reply = await one().putFlow("refused", yaml);
      expect([reply.status, reply.json.error]).toEqual([422, expect.stringMatching(message)]);
    }
    const secret = await one().api("PUT", "/flows/refused", { yaml: replyFlow("refused", "x"), params: { key: { value: "s3cret", secret: true } } });
    expect([secret.status, secret.json.error]).toEqual([422, expect.stringContaining("a literal secret is not allowed in a cluster")]);
    expect((await one().putFlow("tied", route("direct:tied", resequence).replace("refused", "tied"))).status).toBe(201);
    const caller = await two().putFlow("refused", route("webhook:w", "to: direct:tied"));
    expect([caller.status, caller.json.error]).toEqual([422, expect.stringContaining("it calls 'direct:tied' of flow 'tied', but that flow runs on one node")]);
    expect((await one().api("DELETE", "/flows/tied")).status).toBe(200);
    expect((await three().api("GET", "/flows")).json.flows).toEqual([]);
  });

  it("runs one of the messages with the same key, whichever nodes receive them", async () => {
    const flow = (id: string, repository: string): string => `
- beans: [{name: keys, type: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", properties: {${repository}}}]
- route:
    id: ${id}
    from:
      uri: webhook
      steps:
        - setBody: {constant: again}
        - idempotentConsumer:
            header: key
            idempotentRepository: keys
            steps:
              - filter: {simple: "\${header.fail} == 'true'", steps: [{throwException: {exceptionType: java.lang.Exception, message: failed}}]}
              - setBody: {constant: first}
`;
    const send = async (path: string, key: string, node: number, extraHeaders = {}): Promise<string> => {
      const { status, text } = await call(cluster.node(node % 3).baseUrl, "POST", path, "x", { key, ...extraHeaders });
      return status === 200 ? text : String(status);
    };
    for (const [id, repository] of [
      ["once", ""],
      ["each", "perNode: true"],
    ] as const)
      expect(await one().putFlow(id, flow(id, repository))).toMatchObject({ status: 201 });
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index} ä`);
    const replies = await Promise.all(keys.map((key) => Promise.all([0, 1, 2, 0, 1, 2].map((node) => send("/api/once", key, node)))));
    for (const all of replies) expect(all.toSorted()).toEqual(["again", "again", "again", "again", "again", "first"]);
    expect(await Promise.all([0, 1, 2].map((node) => send("/api/each", "k", node)))).toEqual(["first", "first", "first"]);
    // A failed message releases its key.
    expect(await send("/api/once", "failing", 0, { fail: "true" })).toBe("500");
    expect([await send("/api/once", "failing", 1), await send("/api/once", "failing", 2)]).toEqual(["first", "again"]);
    for (const id of ["once", "each"]) await two().api("DELETE", `/flows/${id}`);
  });

  it("accepts a single-use signature on one node only", async () => {
    const flow = replyFlow("signed", "welcome");
    expect((await one().putFlow("signed", flow)).status).toBe(201);
    const secrets = [{ env: "SIGNING_SECRET" }];
    const policy = { authenticate: [{ type: "hmac", preset: "slack", secrets }] };
    expect((await two().api("PUT", "/auth/signed", policy)).status).toBe(201);
    /** Sends the same signed request to all nodes; returns the number of 200 replies plus ten times the number of 401 replies. */
    const send = async (node: number, body: string): Promise<number> => {
      const time = String(Math.floor(Date.now() / 1_000));
      const signature = `v0=${createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex")}`;
      const headers = { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": signature };
      const sendTo = async (index: number): Promise<number> => (await call(cluster.node(index % 3).baseUrl, "POST", "/api/signed", body, headers)).status;
      const statuses = await Promise.all([0, 1, 2].map((offset) => sendTo(node + offset)));
      return statuses.filter((status) => status === 200).length + 10 * statuses.filter((status) => status === 401).length;
    };
    for (let round = 0; round < 6; round++) expect(await send(round, `body ${round}`)).toBe(21);
    const tooLong = await one().api("PUT", "/auth/signed", { authenticate: [{ type: "hmac", preset: "slack", secrets, toleranceSec: 50_000 }] });
    expect([tooLong.status, tooLong.json.error]).toEqual([422, expect.stringContaining("authenticate[0].toleranceSec: must be at most 43200 in a cluster")]);
    const limited = await one().api("PUT", "/auth/signed", { rateLimit: { limit: 1, windowSec: 1 } });
    expect([limited.status, limited.json.error]).toEqual([422, expect.stringContaining("rateLimit is not supported in a cluster yet")]);
    expect((await one().api("DELETE", "/auth/signed")).status).toBe(200);
    expect((await one().api("DELETE", "/flows/signed")).status).toBe(200);
  });

  it("a killed node catches up when it starts again", async () => {
    await one().putFlow("before", replyFlow("before", "old"));
    await cluster.kill(0);
    const put = await one().putFlow("before", replyFlow("before", "new"));
    expect(put.json.cluster).toMatchObject({ nodes: 2, running: 2, behind: [] });
    await two().putFlow("added", replyFlow("added", "here"));
    await cluster.startNode(0, killable);
    expect(await repliesOf("/api/before")).toEqual(["new", "new", "new"]);
    expect(await repliesOf("/api/added")).toEqual(["here", "here", "here"]);
    expect((await two().putFlow("added", replyFlow("added", "again"))).json.cluster).toMatchObject({ nodes: 3, running: 3, behind: [] });
  });

  it("keeps serving while the store is down, and recovers automatically", async () => {
    await one().putFlow("steady", replyFlow("steady", "on"));
    await store.kill();
    for (let round = 0; round < 10; round++) expect(await repliesOf("/api/steady")).toEqual(["on", "on", "on"]);
    await store.restart();
    await eventually(async () => (await two().putFlow("steady", replyFlow("steady", "back"))).status === 200);
    await eventually(async () => new Set(await repliesOf("/api/steady")).size === 1);
    expect(await repliesOf("/api/steady")).toEqual(["back", "back", "back"]);
  });

  it("leaves the cluster immediately on SIGTERM", async () => {
    await three().stop();
    // real time: a node that does not leave is listed until its last heartbeat is as old as the TTL, at least 48 s.
    await eventually(async () => (await nodeList(one())).length === 2, 45_000);
    await cluster.startNode(0, killable);
  });
});

describe.skipIf(nats.server === undefined)("a node of a cluster (needs NATS)", () => {
  let receiver: Server;
  const ticks: { readonly second: string; readonly node: string }[] = [];
  beforeAll(() => {
    receiver = createServer((request, response) => {
      const { searchParams } = new URL(request.url as string, "http://x");
      ticks.push({ second: searchParams.get("second") as string, node: searchParams.get("node") as string });
      response.end();
    }).listen(0, "127.0.0.1");
  });
  afterAll(async () => {
    receiver.close();
    await nats.server?.end();
  });

  it("that is killed is replaced for its schedules, and each second of a schedule fires at most once", async () => {
    const cluster = await startCluster(nats, 2);
    onTestFinished(() => cluster.end());
    const clock = idKeptBy("n0", "clock");
    const { port } = receiver.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/tick?node={{env:NODE_NAME}}&second=\${date:header.scheduledFireTime:yyyyMMddHHmmss}`;
    await cluster.deploy(1, clock, `- route:\n    id: ${clock}\n    from:\n      uri: quartz:clock?cron=*+*+*+*+*+?\n      steps:\n        - toD: "${url}"\n`);
    await eventually(() => ticks.filter(({ node }) => node === "n0").length > 1);
    const states = await Promise.all(
      cluster.nodes.map(async ({ api }) => (await api("GET", "/health")).json.routes.find(({ id }: any) => id === clock).status),
    );
    expect(states).toEqual(["Started", "Suspended"]);
    await cluster.kill(0);
    await eventually(() => ticks.filter(({ node }) => node === "n1").length > 1);
    const seconds = ticks.map(({ second }) => second);
    expect(new Set(seconds).size).toBe(seconds.length);
  });

  it("does not start with a setting that is not supported in a cluster, or with the name of another node", async () => {
    // The first heartbeat of the other node shows that it is alive: one is due after a fifth of the TTL.
    const cluster = await TestCluster.start(nats, { env: { SERVICE_CLUSTER_TTL: "15s" }, nodes: [{}] });
    onTestFinished(() => cluster.end());
    for (const [name, env] of [
      ["SERVICE_WATCH", { SERVICE_WATCH: "true" }],
      ["SERVICE_NODE", { SERVICE_NODE: "n0" }],
    ] as const)
      await expect(cluster.startNode(1, { env })).rejects.toThrow(name);
  });
});

const postgres = await startPostgres();

describe.skipIf(postgres.server === undefined)("a cluster of two nodes (needs PostgreSQL)", () => {
  afterAll(() => postgres.server?.end());

  it("shares connections and Kamelets, in the order in which flows need them", async () => {
    const cluster = await startCluster(postgres, 2);
    onTestFinished(() => cluster.end());
    await checkSharedDocuments([cluster.node(1), cluster.node(0)], { kill: () => cluster.kill(0), restart: () => cluster.startNode(0, killable) });
  });
});
