// Secrets in a cluster: with a key, literal secrets work on every node and the store never contains them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { decodeParts, encodeParts } from "../packages/server/src/cluster/message-parts.ts";
import { createRecordCipher, type RecordCipher } from "../packages/server/src/cluster/record-cipher.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually, replyFlow } from "./started-server.ts";

const secret = "Sup3r-s3cret-value";
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const nats = await serverFor("nats", { own: true });

describe.skipIf(nats === undefined)("secrets in a cluster (needs NATS)", () => {
  const store = nats as TestServer;
  const folder = mkdtempSync(join(tmpdir(), "sluice-cluster-secrets-"));
  const running = new Map<string, SpawnedServer>();
  const start = async (node: string, keys: Readonly<Record<string, string>>): Promise<SpawnedServer> => {
    const server = await spawnServer({
      dataDir: join(folder, node),
      env: {
        SERVICE_CLUSTER: `nats://${store.host}:${store.port}/sealed`,
        SERVICE_CLUSTER_REPLICAS: "1",
        SERVICE_CLUSTER_TTL: "5s",
        SERVICE_CLUSTER_SETTLE_MS: "2s",
        SERVICE_NODE: node,
        ...keys,
      },
    });
    running.set(node, server);
    return server;
  };
  let one: SpawnedServer;
  let two: SpawnedServer;
  const flow = (version: string) => ({
    yaml: replyFlow("greet", "x").replace("constant: x", `simple: "${version} {{password}}"`),
    params: { password: { value: secret, secret: true } },
  });

  beforeAll(async () => {
    one = await start("one", { SERVICE_CLUSTER_KEY: keyOf(1) });
    two = await start("two", { SERVICE_CLUSTER_KEY: keyOf(1) });
  });
  afterAll(async () => {
    for (const server of running.values()) await server.end("SIGKILL");
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it("shares literal secrets that neither the store nor the API shows", async () => {
    const put = await one.api("PUT", "/flows/greet", flow("first"));
    expect([put.status, put.json.cluster?.running]).toEqual([201, 2]);
    const connection = { type: "postgres", values: { host: "127.0.0.1", user: "app", password: secret } };
    const saved = await one.api("PUT", "/connections/db?force=true", connection);
    expect([saved.status, saved.json.error]).toEqual([201, undefined]);
    expect((await call(two.baseUrl, "POST", "/api/greet")).text).toBe(`first ${secret}`);
    for (const path of ["/flows/greet", "/flows/greet/versions", "/connections/db"]) expect((await two.api("GET", path)).text).not.toContain(secret);
    const messages = await storedMessages(store);
    expect(messages.filter((message) => message.includes("flow/greet") || message.includes("SLX1")).length).toBeGreaterThan(0);
    expect(messages.filter((message) => message.includes(secret) || message.includes(Buffer.from(secret).toString("base64")))).toEqual([]);
    for (const node of ["one", "two"]) expect(filesBelow(join(folder, node)).filter((file) => readFileSync(file).includes(secret))).toEqual([]);
  });

  it("executes a call from another node only if it is encrypted, and only on endpoints to which nodes forward calls", async () => {
    const cipher = createRecordCipher(keyOf(1), undefined);
    const callAsIntruder = (path: string, isEncrypted: boolean): Promise<string> => requestOf(store, { method: "GET", path }, isEncrypted ? cipher : undefined);
    expect(await callAsIntruder("/_api/runs/none", false)).toContain("the message is not encrypted: set SERVICE_CLUSTER_KEY on the node that sent it");
    expect(await callAsIntruder("/_api/runs/none", true)).toContain("not found");
    expect(await callAsIntruder("/_api/flows", true)).toContain("no such endpoint");
  });

  it.each([
    ["no key", {}, "the record is encrypted: set SERVICE_CLUSTER_KEY to the key of the other nodes"],
    ["another key", { SERVICE_CLUSTER_KEY: keyOf(9) }, "the record is encrypted with another key"],
    ["half a key", { SERVICE_CLUSTER_KEY: "abc" }, "SERVICE_CLUSTER_KEY: expected 32 bytes in base64"],
  ])("does not start a node with %s", async (_, keys, message) => {
    await expect(start("three", keys)).rejects.toThrow(message);
  });

  it("replaces the key one node after another, and restores a version that the previous key encrypted", async () => {
    const before = (await one.api("GET", "/flows/greet/versions")).json.versions[0].revision;
    await two.end("SIGTERM");
    two = await start("two", { SERVICE_CLUSTER_KEY: keyOf(2), SERVICE_CLUSTER_KEYS_OLD: keyOf(1) });
    expect((await call(two.baseUrl, "POST", "/api/greet")).text).toBe(`first ${secret}`);
    // Node one does not have the new key yet: it continues with the previous version and reports it.
    const put = await two.api("PUT", "/flows/greet", flow("second"));
    expect([put.status, put.json.cluster.behind]).toEqual([200, [{ node: "one", reason: expect.stringContaining("encrypted with another key") }]]);
    expect((await call(one.baseUrl, "POST", "/api/greet")).text).toBe(`first ${secret}`);
    await one.end("SIGTERM");
    one = await start("one", { SERVICE_CLUSTER_KEY: keyOf(2), SERVICE_CLUSTER_KEYS_OLD: keyOf(1) });
    expect((await call(one.baseUrl, "POST", "/api/greet")).text).toBe(`second ${secret}`);
    await eventually(async () => (await one.api("GET", "/nodes")).json.nodes.length === 2);
    const back = await one.api("POST", "/flows/greet/rollback", { revision: before });
    expect([back.status, back.json.error, back.json.cluster?.running]).toEqual([200, undefined, 2]);
    expect((await call(two.baseUrl, "POST", "/api/greet")).text).toBe(`first ${secret}`);
  });
});

/** The response of node one to a call from a client that has the NATS credentials and poses as node 'intruder'. */
async function requestOf({ host, port }: TestServer, call: object, cipher: RecordCipher | undefined): Promise<string> {
  const connection = await connect({ servers: `${host}:${port}` });
  const responses = connection.subscribe("sealed.request.intruder", { max: 1, timeout: 10_000 });
  const content = Buffer.from(JSON.stringify(call));
  const payload = cipher?.encrypt("request/call", content) ?? content;
  connection.publish("sealed.request.one", encodeParts({ id: "1", topic: "call", from: "intruder", maxBytes: 1024 ** 2 }, payload));
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
