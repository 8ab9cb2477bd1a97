import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

interface Delivery {
  readonly body: string;
  readonly attempt: string;
  readonly version: string;
}

/** A partner system that records what it receives and replies as configured. */
class Partner {
  readonly seen: Delivery[] = [];
  respond: (seen: Delivery, times: number) => number | Promise<number> = () => 200;
  #server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", async () => {
        const seen = { body, attempt: String(request.headers["x-attempt"] ?? ""), version: request.url ?? "" };
        this.seen.push(seen);
        response.writeHead(await this.respond(seen, this.seen.filter((other) => other.body === body).length));
        response.end("done");
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  get bodies(): readonly string[] {
    return this.seen.map(({ body }) => body);
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

const partner: { current: Partner; url: string } = { current: new Partner(), url: "" };
let server: StartedServer;
let dataDir: string;

beforeEach(async () => {
  partner.current = new Partner();
  partner.url = await partner.current.start();
  dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  server = await start();
});

afterEach(async () => {
  await server.stop();
  partner.current.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (env: Readonly<Record<string, string>> = {}): Promise<StartedServer> =>
  startTestServer({ dataDir, env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true", SERVICE_DRAIN_MS: "20s", ...env } });

const sender = (options = ""): string => `- route:
    id: in
    from:
      uri: webhook
      steps:
        - to: "queue:work${options}"
        - setBody: {constant: taken}
`;

const worker = (options: string, version = "v1", delay = ""): string => `- route:
    id: worker
    from:
      uri: "queue:work${options}"
      steps:
${delay === "" ? "" : `        - delay: {constant: ${delay}}\n`}        - setHeader: {name: X-Attempt, simple: "\${header.SluiceQueueAttempt}"}
        - removeHeaders: {pattern: "Sluice*"}
        - to: "${partner.url}/${version}?httpMethod=POST"
`;

/** Stops the runtime while it processes a message; `respond` is called when it accepts nothing more. */
async function stopDuringRun(respond: () => void): ReturnType<StartedServer["stop"]> {
  const stopping = server.stop();
  const isClosed = (): Promise<boolean> =>
    call(server.baseUrl, "GET", "/_api/health").then(
      () => false,
      () => true,
    );
  await eventually(isClosed);
  respond();
  return stopping;
}

const post = (body: string, headers: Readonly<Record<string, string>> = {}) => call(server.baseUrl, "POST", "/api/in", body, headers);
const file = (): string => join(dataDir, "store", "durable.sqlite");

describe("a durable queue", () => {
  it("creates no store file until it is used", async () => {
    await server.putFlow("plain", `- route:\n    id: plain\n    from:\n      uri: webhook\n      steps:\n        - setBody: {constant: x}\n`);
    expect((await call(server.baseUrl, "POST", "/api/plain", "x")).text).toBe("x");
    expect((await server.api("GET", "/dead-letters")).json).toEqual({ deadLetters: [], total: 0 });
    expect(existsSync(file())).toBe(false);
  });

  it("delivers messages in order, with headers, and keeps queued ones across a restart", async () => {
    expect((await server.putFlow("in", sender())).status).toBe(201);
    for (const body of ["1", "2", "3"]) expect((await post(body)).text).toBe("taken");
    expect(existsSync(file())).toBe(true);
    await server.stop();
    server = await start();
    await server.putFlow("worker", worker(""));
    await eventually(() => partner.current.seen.length === 3);
    expect(partner.current.bodies).toEqual(["1", "2", "3"]);
    expect(partner.current.seen.map(({ attempt }) => attempt)).toEqual(["1", "1", "1"]);
  });

  it("preserves structured bodies, headers and exchange properties", async () => {
    await server.putFlow(
      "kinds",
      `- route:
    id: in
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - setHeader: {name: list, jsonpath: "$.lines"}
        - setProperty: {name: noted, simple: "\${body[id]}"}
        - to: queue:work
- route:
    id: worker
    from:
      uri: queue:work
      steps:
        - setBody: {simple: "\${body[id]} \${body[lines][1]} \${header.list[0]} \${exchangeProperty.noted} \${header.X-Src}"}
        - to: "${partner.url}/v1?httpMethod=POST"
`,
    );
    expect((await post('{"id":"A-1","lines":["x","ü"]}', { "X-Src": "shop" })).status).toBe(200);
    await eventually(() => partner.current.seen.length === 1);
    expect(partner.current.bodies).toEqual(["A-1 ü x A-1 shop"]);
  });

  it("retries with growing delays, then moves the message to the dead letters", async () => {
    await server.putFlow("in", sender());
    await server.putFlow("worker", worker("?maximumRedeliveries=2&redeliveryDelay=50"));
    partner.current.respond = ({ body }) => (body === "poison" ? 500 : 200);
    for (const body of ["a", "poison", "b"]) await post(body);
    await eventually(async () => (await server.api("GET", "/dead-letters")).json.total === 1);
    expect(partner.current.bodies.filter((body) => body === "poison")).toHaveLength(3);
    expect(partner.current.seen.filter(({ body }) => body === "poison").map(({ attempt }) => attempt)).toEqual(["1", "2", "3"]);
    expect(partner.current.bodies.filter((body) => body !== "poison")).toEqual(["a", "b"]);
    const [deadLetter] = (await server.api("GET", "/dead-letters")).json.deadLetters;
    expect(deadLetter).toMatchObject({
      routeId: "worker",
      flowId: "worker",
      source: "queue:work",
      attempts: 3,
      error: { type: "org.apache.camel.http.base.HttpOperationFailedException" },
    });
    const shown = (await server.api("GET", `/dead-letters/${deadLetter.id}`)).json;
    expect(shown.message).toMatchObject({ body: "poison" });
  });

  it("keeps the order of a key while one of its messages waits for a retry, and lets other keys pass", async () => {
    await server.putFlow("in", sender("?keyHeader=customer"));
    // The last attempt succeeds when the messages of the other key have passed.
    partner.current.respond = async ({ body }, times) => {
      if (body === "a1" && times < 3) return 500;
      if (body === "a1") await eventually(() => partner.current.bodies.includes("b2"));
      return 200;
    };
    for (const [customer, number] of [
      ["a", 1],
      ["a", 2],
      ["b", 1],
      ["a", 3],
      ["b", 2],
    ] as const)
      await post(`${customer}${number}`, { customer });
    // All messages are queued before the worker starts, so that the duration of the posts does not matter.
    await server.putFlow("worker", worker("?concurrentConsumers=4&redeliveryDelay=10"));
    await eventually(() => new Set(partner.current.bodies).size === 5);
    const ofKey = (key: string): readonly string[] => partner.current.bodies.filter((body) => body.startsWith(key));
    expect(ofKey("a")).toEqual(["a1", "a1", "a1", "a2", "a3"]);
    expect(ofKey("b")).toEqual(["b1", "b2"]);
  });

  it("keeps the order of a key across a restart between two attempts", async () => {
    await server.putFlow("in", sender("?keyHeader=customer"));
    await server.putFlow("worker", worker("?redeliveryDelay=400&backOffMultiplier=1"));
    partner.current.respond = ({ body }, times) => (body === "a1" && times === 1 ? 500 : 200);
    for (const body of ["a1", "a2"]) await post(body, { customer: "a" });
    await eventually(() => partner.current.seen.length === 1);
    await server.stop();
    server = await start();
    await eventually(() => partner.current.seen.length === 3);
    expect(partner.current.bodies).toEqual(["a1", "a1", "a2"]);
  });

  it("delivers a delayed message when it is due, and others before it", async () => {
    await server.putFlow("in", sender());
    for (const [id, delay] of [
      ["soon", "500"],
      ["late", "3600000"],
    ] as const)
      await server.putFlow(id, sender(`?delay=${delay}`).replace("id: in", `id: ${id}`));
    await server.putFlow("worker", worker(""));
    for (const id of ["late", "soon", "in"]) await call(server.baseUrl, "POST", `/api/${id}`, id);
    await eventually(() => partner.current.seen.length === 2);
    expect(partner.current.bodies.toSorted()).toEqual(["in", "soon"]);
  });

  it("redelivers a message whose run takes too long", async () => {
    await server.putFlow("in", sender());
    await server.putFlow("worker", worker("?visibilityTimeout=2000&redeliveryDelay=10"));
    let fail: ((status: number) => void) | undefined;
    partner.current.respond = ({ body }, times) => (body === "slow" && times === 1 ? new Promise<number>((resolve) => (fail = resolve)) : 200);
    await post("slow");
    await eventually(() => partner.current.seen.length === 2);
    fail?.(500);
    // A third attempt would be made before the next message.
    await post("next");
    await eventually(() => partner.current.bodies.includes("next"));
    expect(partner.current.seen.map(({ body, attempt }) => `${body} ${attempt}`)).toEqual(["slow 1", "slow 2", "next 1"]);
  });

  it("neither loses nor duplicates a message when the consuming flow is replaced under load", async () => {
    await server.putFlow("in", sender());
    await server.putFlow("worker", worker("?concurrentConsumers=5", "v0", "5"));
    const sent: string[] = [];
    for (let version = 1; version <= 10; version++) {
      for (let count = 0; count < 20; count++) {
        const body = `${version}-${count}`;
        sent.push(body);
        await post(body);
      }
      expect((await server.putFlow("worker", worker("?concurrentConsumers=5", `v${version}`, "5"))).status).toBe(200);
      sent.push(`after ${version}`);
      await post(`after ${version}`);
      await eventually(() => partner.current.seen.some((seen) => seen.version === `/v${version}`));
    }
    await eventually(() => partner.current.seen.length >= sent.length);
    // A message that was delivered twice would arrive before this one.
    sent.push("last");
    await post("last");
    await eventually(() => partner.current.bodies.includes("last"));
    expect(partner.current.bodies.toSorted()).toEqual(sent.toSorted());
  });

  it("finishes messages in flight and leaves the rest on disk when the runtime stops", async () => {
    await server.putFlow("in", sender());
    let respond: ((status: number) => void) | undefined;
    partner.current.respond = () => new Promise<number>((resolve) => (respond = resolve));
    const bodies = Array.from({ length: 20 }, (_, index) => String(index));
    for (const body of bodies) await post(body);
    await server.putFlow("worker", worker(""));
    await eventually(() => respond !== undefined);
    expect((await stopDuringRun(() => respond?.(200))).drained).toBe(true);
    expect(partner.current.bodies).toEqual(["0"]);
    partner.current.respond = () => 200;
    server = await start();
    await post("last");
    await eventually(() => partner.current.bodies.includes("last"));
    expect(partner.current.bodies).toEqual([...bodies, "last"]);
  });

  it("rejects messages over its limit with a clear error", async () => {
    await server.stop();
    server = await start({ SERVICE_QUEUE_BYTES: "20k" });
    await server.putFlow("in", sender());
    const replies = [];
    for (let count = 0; count < 5; count++) replies.push((await post("x".repeat(6_000))).status);
    expect(replies.filter((status) => status === 200).length).toBe(3);
    const [run] = (await server.api("GET", "/runs?status=failed")).json.runs;
    expect(run.error.message).toMatch(/^queue 'work' is full: the queues hold \d+ of 20480 bytes \(SERVICE_QUEUE_BYTES\)$/);
  });

  it("can be polled for one message at a time", async () => {
    await server.putFlow("in", sender());
    const asking = (id: string, timeoutMs: number): string =>
      `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n        - pollEnrich: {constant: "queue:work", timeout: ${timeoutMs}}\n        - setBody: {simple: "got \${body}"}\n`;
    await server.putFlow("ask", asking("ask", 60_000));
    await server.putFlow("empty", asking("empty", 100));
    const ask = async (id: string): Promise<string> => (await call(server.baseUrl, "POST", `/api/${id}`, "")).text;
    await post("one");
    expect([await ask("ask"), await ask("empty")]).toEqual(["got one", "got "]);
    await post("two");
    expect(await ask("ask")).toBe("got two");
  });

  it("rejects a name in the form of an internal queue's name", async () => {
    const reply = await server.putFlow("in", sender().replace("queue:work", "queue:webhook/in"));
    expect(reply.status).toBe(422);
    expect(reply.json.error).toContain("invalid queue name 'webhook/in'");
  });
});

describe("a durable webhook", () => {
  const durable = (options = ""): string => `- route:
    id: in
    from:
      uri: "webhook?durable=true${options}"
      steps:
        - setHeader: {name: X-Attempt, simple: "\${header.SluiceQueueAttempt} \${header.X-Src} \${header.CamelHttpMethod}"}
        - removeHeaders: {pattern: "Sluice*"}
        - to: "${partner.url}/v1?httpMethod=POST"
`;

  it("responds with 202 once the message is on disk, and runs the route from there", async () => {
    expect((await server.putFlow("in", durable())).status).toBe(201);
    const reply = await post("hello", { "X-Src": "shop" });
    expect([reply.status, reply.json]).toEqual([202, { messageId: expect.stringMatching(/^[0-9A-Z]{26}$/) }]);
    expect([reply.headers.get("x-run-id"), reply.headers.get("content-type")]).toEqual([null, "application/json"]);
    await eventually(() => partner.current.seen.length === 1);
    expect(partner.current.seen[0]).toMatchObject({ body: "hello", attempt: "1 shop POST" });
    const lastRun = async (): Promise<any> => (await server.api("GET", "/runs?routeId=in")).json.runs[0];
    await eventually(async () => (await lastRun()).status !== "running");
    expect(await lastRun()).toMatchObject({ status: "completed", trigger: { method: "POST", path: "/api/in" } });
  });

  it("retries when the partner is down, even across a restart", async () => {
    await server.putFlow("in", durable("&redeliveryDelay=50"));
    let respond: ((status: number) => void) | undefined;
    partner.current.respond = () => new Promise<number>((resolve) => (respond = resolve));
    expect((await post("hello")).status).toBe(202);
    await eventually(() => respond !== undefined);
    await stopDuringRun(() => respond?.(503));
    partner.current.respond = () => 200;
    server = await start();
    await eventually(() => partner.current.seen.length === 2);
    expect(partner.current.seen.map(({ attempt }) => attempt)).toEqual(["1  POST", "2  POST"]);
  });

  it("does not trust the caller's headers after reading the message from disk", async () => {
    await server.putFlow("in", durable());
    await post("x", { CamelHttpUri: "http://127.0.0.1:1/elsewhere", CamelHttpPath: "/other" });
    await eventually(() => partner.current.seen.length === 1);
    expect(partner.current.seen[0]?.version).toBe("/v1");
  });

  it("replies 503 when the store is full", async () => {
    await server.stop();
    server = await start({ SERVICE_QUEUE_BYTES: "10k" });
    await server.putFlow("in", durable());
    let respond: ((status: number) => void) | undefined;
    partner.current.respond = () => (respond === undefined ? new Promise<number>((resolve) => (respond = resolve)) : 200);
    const replies = await Promise.all(Array.from({ length: 4 }, () => post("x".repeat(4_000))));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 202, 503, 503]);
    expect(replies.find(({ status }) => status === 503)?.json.error).toContain("queue 'webhook/in' is full");
    await eventually(() => respond !== undefined);
    respond?.(200);
    await eventually(() => partner.current.seen.length === 2);
  });
});
