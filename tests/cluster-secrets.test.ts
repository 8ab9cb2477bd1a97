// Secrets in a cluster: with a key, literal secrets work on every node and the store never contains them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { readClusterTarget } from "../packages/server/src/cluster/cluster-target.ts";
import { decodeParts, encodeParts } from "../packages/server/src/cluster/message-parts.ts";
import { createRecordCipher, type RecordCipher } from "../packages/server/src/cluster/record-cipher.ts";
import { TestCluster } from "./cluster-nodes.ts";
import { startNats } from "./cluster-stores.ts";
import { call, replyFlow } from "./started-server.ts";

const secret = "Sup3r-s3cret-value";
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const store = await startNats();

describe.skipIf(store.server === undefined)("secrets in a cluster (needs NATS)", () => {
  const server = store.server as TestServer;
  let cluster: TestCluster;
  const api: (index: number, ...call: Parameters<TestCluster["nodes"][number]["api"]>) => ReturnType<TestCluster["nodes"][number]["api"]> = (index, ...parts) =>
    cluster.node(index).api(...parts);
  const greet = async (index: number): Promise<string> => (await call(cluster.node(index).baseUrl, "POST", "/api/greet")).text;
  const flow = (version: string) => ({
    yaml: replyFlow("greet", "x").replace("constant: x", `simple: "${version} {{password}}"`),
    params: { password: { value: secret, secret: true } },
  });

  beforeAll(async () => {
    cluster = await TestCluster.start(store, { nodes: [{}, {}].map(() => ({ env: { SERVICE_CLUSTER_KEY: keyOf(1) } })) });
  });
  afterAll(async () => {
    await cluster?.end();
    await server.end();
  });

  it("shares literal secrets that neither the store nor the API shows", async () => {
    const put = await api(0, "PUT", "/flows/greet", flow("first"));
    expect([put.status, put.json.cluster?.running]).toEqual([201, 2]);
    const connection = { type: "postgres", values: { host: "127.0.0.1", user: "app", password: secret } };
    const saved = await api(0, "PUT", "/connections/db?force=true", connection);
    expect([saved.status, saved.json.error]).toEqual([201, undefined]);
    expect(await greet(1)).toBe(`first ${secret}`);
    for (const path of ["/flows/greet", "/flows/greet/versions", "/connections/db"]) expect((await api(1, "GET", path)).text).not.toContain(secret);
    const messages = await storedMessages(server);
    expect(messages.filter((message) => message.includes("flow/greet") || message.includes("SLX1")).length).toBeGreaterThan(0);
    expect(messages.filter((message) => message.includes(secret) || message.includes(Buffer.from(secret).toString("base64")))).toEqual([]);
    for (const index of [0, 1]) expect(filesBelow(cluster.folderOf(index)).filter((file) => readFileSync(file).includes(secret))).toEqual([]);
  });

  it("executes a call from another node only if it is encrypted, and only on endpoints to which nodes forward calls", async () => {
    const cipher = createRecordCipher(keyOf(1), undefined);
    const callAsIntruder = (path: string, isEncrypted: boolean): Promise<string> =>
      requestOf(server, readClusterTarget(cluster.url).name, { method: "GET", path }, isEncrypted ? cipher : undefined);
    expect(await callAsIntruder("/_api/runs/none", false)).toContain("the message is not encrypted: set SERVICE_CLUSTER_KEY on the node that sent it");
    expect(await callAsIntruder("/_api/runs/none", true)).toContain("not found");
    expect(await callAsIntruder("/_api/flows", true)).toContain("no such endpoint");
  });

  it.each([
    ["no key", {}, "the record is encrypted: set SERVICE_CLUSTER_KEY to the key of the other nodes"],
    ["another key", { SERVICE_CLUSTER_KEY: keyOf(9) }, "the record is encrypted with another key"],
    ["half a key", { SERVICE_CLUSTER_KEY: "abc" }, "SERVICE_CLUSTER_KEY: expected 32 bytes in base64"],
  ])("does not start a node with %s", async (_, env, message) => {
    await expect(cluster.startNode(2, { env })).rejects.toThrow(message);
  });

  it("replaces the key one node after another, and restores a version that the previous key encrypted", async () => {
    const newKey = { env: { SERVICE_CLUSTER_KEY: keyOf(2), SERVICE_CLUSTER_KEYS_OLD: keyOf(1) } };
    const before = (await api(0, "GET", "/flows/greet/versions")).json.versions[0].revision;
    await cluster.node(1).stop();
    await cluster.startNode(1, newKey);
    expect(await greet(1)).toBe(`first ${secret}`);
    // Node n0 does not have the new key yet: it continues with the previous version and reports it.
    const put = await api(1, "PUT", "/flows/greet", flow("second"));
    expect([put.status, put.json.cluster.behind]).toEqual([200, [{ node: "n0", reason: expect.stringContaining("encrypted with another key") }]]);
    expect(await greet(0)).toBe(`first ${secret}`);
    await cluster.node(0).stop();
    await cluster.startNode(0, newKey);
    expect(await greet(0)).toBe(`second ${secret}`);
    await cluster.waitForNodes(2);
    const back = await api(0, "POST", "/flows/greet/rollback", { revision: before });
    expect([back.status, back.json.error, back.json.cluster?.running]).toEqual([200, undefined, 2]);
    expect(await greet(1)).toBe(`first ${secret}`);
  });
});

/** The response of node n0 to a call from a client that has the NATS credentials and poses as node 'intruder'. */
async function requestOf({ host, port }: TestServer, name: string, call: object, cipher: RecordCipher | undefined): Promise<string> {
  const connection = await connect({ servers: `${host}:${port}` });
  const responses = connection.subscribe(`${name}.request.intruder`, { max: 1, timeout: 60_000 });
  const content = Buffer.from(JSON.stringify(call));
  const payload = cipher?.encrypt("request/call", content) ?? content;
  connection.publish(`${name}.request.n0`, encodeParts({ id: "1", topic: "call", from: "intruder", maxBytes: 1024 ** 2 }, payload));
  for await (const { data } of responses) {
    await connection.close();
    const [head, body] = decodeParts(data);
    return JSON.stringify(head) + Buffer.from(cipher?.decrypt("request/call", body) ?? body).toString();
  }
  throw new Error("no response");
}

/** Every message in the store, with its subject. */
async function storedMessages({ host, port }: TestServer): Promise<readonly string[]> {
  const connection = await connect({ servers: `${host}:${port}` });
  const manager = await jetstreamManager(connection);
  const texts: string[] = [];
  for await (const { config, state } of manager.streams.list())
    for (let sequence = state.first_seq; sequence <= state.last_seq; sequence++) {
      const message = await manager.streams.getMessage(config.name, { seq: sequence }).catch(() => null);
      if (message !== null) texts.push(`${message.subject}\n${Buffer.from(message.data).toString("latin1")}`);
    }
  await connection.close();
  return texts;
}

const filesBelow = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
