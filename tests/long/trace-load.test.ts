// The trace of a route that produces more events than a client reads, on a real socket: no event is lost silently, and every event shows its
// message at that time.
import { connect, type Socket } from "node:net";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { call, eventually, sleep, startTestServer, token, type StartedServer } from "../started-server.ts";

let server: StartedServer;

const clientEvents = 100;
const parts = 300;
const burst = `- route:
    id: burst
    from:
      uri: webhook
      steps:
        - split: {tokenize: ",", steps: [{setBody: {simple: "\${body}!"}}]}
        - setBody: {constant: ok}
`;
const route = (id: string, ...steps: readonly string[]): string => `- route: {id: ${id}, from: {uri: webhook, steps: [${steps.join(", ")}]}}\n`;
const processing = (id: string, ref: string): string => `{process: {id: ${id}, ref: ${ref}}}`;
const steady = (id: string): string => route(id, "{unmarshal: {json: {}}}", "{setHeader: {name: a, constant: b}}", "{setBody: {constant: ok}}");
const changing =
  route("changing", processing("lists", "lists"), "{unmarshal: {id: read, json: {}}}", processing("first", "grow"), processing("second", "grow")) +
  route("bytes", processing("over", "overwrite"), processing("later", "wait"));

beforeAll(async () => {
  const module = join(mkdtempSync(join(tmpdir(), "sluice-functions-")), "functions.mjs");
  writeFileSync(
    module,
    `export function lists(exchange) { exchange.message.headers.set("seen", []); }
     export function grow({ message }) { message.body.lines.push({ n: message.body.lines.length }); message.headers.get("seen").push(message.body.lines.length); }
     export function overwrite({ message }) { message.body.fill(120); }
     export const wait = () => new Promise((resolve) => setTimeout(resolve, 5));`,
  );
  server = await startTestServer({ env: { SERVICE_FUNCTIONS: module }, limits: { streamClientEvents: clientEvents } });
  await server.putFlow("burst", burst);
  await server.putFlow("steady", steady("steady"));
  await server.putFlow("stopped", steady("stopped"));
  expect((await server.putFlow("changing", changing)).status).toBe(201);
});
afterAll(() => server.end());

interface StreamClient {
  readonly socket: Socket;
  /** Everything after the head, with chunk sizes removed. */
  text(): string;
}

async function openStream(query: string): Promise<StreamClient> {
  const socket = connect(server.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(`GET /_api/trace/stream?${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const text = (): string =>
    Buffer.concat(chunks)
      .toString("latin1")
      .replace(/^[^]*?\r\n\r\n/, "")
      .replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, "");
  await eventually(() => text().includes("\n\n"));
  return { socket, text };
}

interface ParsedEvents {
  readonly received: number;
  readonly dropped: number;
  readonly first: number;
  readonly last: number;
  readonly events: readonly any[];
}

/** Parses the response; every missing number must be announced at its position. */
function parseEvents(text: string): ParsedEvents {
  const first = Number(/ last=\w+\.(\d+)/.exec(text)?.[1]);
  const events: any[] = [];
  let [at, dropped, received] = [first, 0, 0];
  for (const block of text.split("\n\n").slice(0, -1)) {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) continue;
    const event = JSON.parse(data);
    if (block.includes("event: gap")) {
      expect(event.reason).toBe("slow-client");
      at += event.dropped;
      dropped += event.dropped;
      continue;
    }
    expect(Number(event.id.split(".")[1])).toBe(++at);
    received++;
    events.push(event);
  }
  return { received, dropped, first, last: at, events };
}

/** Events per run of each route. */
const perBurst = 2 + 2 + 2 * parts + 2;
const perSteady = 2 + 3 * 2;

async function load(path: string, calls: number, body: string): Promise<void> {
  for (let done = 0; done < calls; done += 20) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(server.baseUrl, "POST", path, body)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
  }
}

const waitForEvent = (client: StreamClient, number: number): Promise<void> => eventually(() => parseEvents(client.text()).last >= number);

it("a client that keeps reading loses events only in bursts that exceed its buffer, and every loss is announced", async () => {
  const client = await openStream("routeId=burst");
  const { first } = parseEvents(client.text());
  await load("/api/burst", 20, Array.from({ length: parts }, (_, number) => number).join(","));
  await waitForEvent(client, first + 20 * perBurst);
  const counts = parseEvents(client.text());
  expect(counts.received + counts.dropped).toBe(20 * perBurst);
  expect(counts.dropped).toBeGreaterThan(0);
  expect(counts.received).toBeGreaterThanOrEqual(clientEvents);
  // After the burst the next run is reported completely.
  await call(server.baseUrl, "POST", "/api/burst", "1");
  await waitForEvent(client, counts.last + 8);
  const after = parseEvents(client.text());
  expect([after.dropped, after.events.slice(-8).map(({ type }) => type.split(".")[1])]).toEqual([
    counts.dropped,
    ["started", "started", "started", "completed", "completed", "started", "completed", "completed"],
  ]);
  client.socket.destroy();
});

it("a client that keeps up gets everything, in order", async () => {
  const client = await openStream("routeId=steady");
  const { first } = parseEvents(client.text());
  for (let run = 0; run < 100; run++) await call(server.baseUrl, "POST", "/api/steady", '{"a":1}');
  await waitForEvent(client, first + 100 * perSteady);
  const counts = parseEvents(client.text());
  expect([counts.received, counts.dropped]).toEqual([100 * perSteady, 0]);
  for (let run = 0; run < 100; run++)
    expect(counts.events.slice(run * perSteady, (run + 1) * perSteady).map(({ type, message }) => `${type} ${message.body}`)).toEqual([
      'run.started {"a":1}',
      'step.started {"a":1}',
      'step.completed {"a":1}',
      'step.started {"a":1}',
      'step.completed {"a":1}',
      'step.started {"a":1}',
      "step.completed ok",
      "run.completed ok",
    ]);
  client.socket.destroy();
});

it("a client that pauses gets the newest events, and the number of all others", async () => {
  const client = await openStream("routeId=stopped&body=full");
  const { first } = parseEvents(client.text());
  client.socket.pause();
  const runs = 400;
  await load("/api/stopped", runs, JSON.stringify({ text: "z".repeat(20_000) }));
  await sleep(100);
  client.socket.resume();
  await waitForEvent(client, first + runs * perSteady);
  const counts = parseEvents(client.text());
  expect(counts.received + counts.dropped).toBe(runs * perSteady);
  expect(counts.dropped).toBeGreaterThan(0);
  client.socket.destroy();
});

it("shows bodies and headers as they were at their step, whatever later steps change", async () => {
  const client = await openStream("flowId=changing");
  const { first } = parseEvents(client.text());
  await call(server.baseUrl, "POST", "/api/changing", '{"lines":[]}');
  await call(server.baseUrl, "POST", "/api/bytes", "abc");
  await waitForEvent(client, first + 2 + 4 * 2 + 2 + 2 * 2);
  const shown = parseEvents(client.text()).events.map(({ type, stepId, message }) => [`${type} ${stepId ?? ""}`.trim(), message.body, message.headers.seen]);
  expect(shown).toEqual([
    ["run.started", '{"lines":[]}', undefined],
    ["step.started lists", '{"lines":[]}', undefined],
    ["step.completed lists", '{"lines":[]}', []],
    ["step.started read", '{"lines":[]}', []],
    ["step.completed read", '{"lines":[]}', []],
    ["step.started first", '{"lines":[]}', []],
    ["step.completed first", '{"lines":[{"n":0}]}', [1]],
    ["step.started second", '{"lines":[{"n":0}]}', [1]],
    ["step.completed second", '{"lines":[{"n":0},{"n":1}]}', [1, 2]],
    ["run.completed", '{"lines":[{"n":0},{"n":1}]}', [1, 2]],
    ["run.started", "abc", undefined],
    ["step.started over", "abc", undefined],
    ["step.completed over", "xxx", undefined],
    ["step.started later", "xxx", undefined],
    ["step.completed later", "xxx", undefined],
    ["run.completed", "xxx", undefined],
  ]);
  client.socket.destroy();
});

it("a single event is sent within 50 ms", async () => {
  onTestFinished(() => void vi.useRealTimers());
  const client = await openStream("routeId=steady&type=run.completed");
  for (let run = 1; run <= 20; run++) {
    // By the clock of the runtime, which stands still afterwards: how busy the machine is does not matter.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await call(server.baseUrl, "POST", "/api/steady", "{}");
    await vi.advanceTimersByTimeAsync(50);
    const isThere = (): boolean => client.text().split('"run.completed"').length > run;
    for (let turn = 0; turn < 100_000 && !isThere(); turn++) await new Promise(setImmediate);
    expect([run, isThere()]).toEqual([run, true]);
    vi.useRealTimers();
  }
  client.socket.destroy();
});
