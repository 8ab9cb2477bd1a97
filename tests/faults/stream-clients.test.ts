// A thousand clients of the event streams, one that disappears, and the latency of events.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startBareServer } from "../bare-server.ts";
import { openDescriptors } from "../process-usage.ts";
import { call, eventually, sleep, token } from "../started-server.ts";
import { spawnWatched, withFastCanary, type WatchedServer } from "../watched-server.ts";
import { unexpectedOutput } from "../unexpected-output.ts";

let server: WatchedServer;
afterEach(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const logging =
  "- route:\n    id: logging\n    from:\n      uri: webhook\n      steps:\n        - log: {id: line, message: '${body}'}\n        - setBody: {constant: ok}\n";
const streamRequest = (path: string): string => `GET /_api${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;

interface StreamClient {
  readonly socket: Socket;
  /** The numbers of the messages in order of arrival. */
  readonly seen: number[];
  text: string;
}

async function openStreamClient(port: number, path: string, keepText = false): Promise<StreamClient> {
  const socket = connect(port, "127.0.0.1");
  const streamClient: StreamClient = { socket, seen: [], text: "" };
  let rest = "";
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      const text = rest + chunk.toString("latin1");
      const end = text.lastIndexOf("\n");
      rest = text.slice(end + 1);
      if (keepText) streamClient.text += text.slice(0, end + 1);
      for (const match of text.slice(0, end + 1).matchAll(/"message":"m-(\d+)"/g)) streamClient.seen.push(Number(match[1]));
      resolve();
    });
    socket.write(streamRequest(path));
  });
  return streamClient;
}

it("1,000 clients each get every event in order at 100 per second, and every descriptor is released", async () => {
  server = await spawnWatched({ env: { SERVICE_MAX_STREAM_CLIENTS: "1100" } });
  const port = Number(new URL(server.baseUrl).port);
  await server.putFlow("logging", logging);
  const before = openDescriptors(server.pid);
  const events = 300;
  const streamClients: StreamClient[] = [];
  for (let opened = 0; opened < 1_000; opened += 50)
    streamClients.push(...(await Promise.all(Array.from({ length: 50 }, () => openStreamClient(port, "/logs/stream?routeId=logging")))));
  for (let number = 0; number < events; number++) {
    const due = sleep(10);
    expect((await call(server.baseUrl, "POST", "/api/logging", `m-${number}`)).status).toBe(200);
    await due;
  }
  await eventually(() => streamClients.every(({ seen }) => seen.length >= events), 60_000);
  const all = Array.from({ length: events }, (_, number) => number);
  for (const { seen } of streamClients) expect(seen).toEqual(all);
  for (const { socket } of streamClients) socket.destroy();
  await eventually(() => openDescriptors(server.pid) <= before + 5, 20_000);
  expect(server.output()).not.toMatch(unexpectedOutput);
}, 240_000);

it("a client that silently stops reading is disconnected within a minute", async () => {
  server = await spawnWatched();
  await server.putFlow("logging", logging);
  const clients = async (): Promise<number> => (await server.api("GET", "/health")).json.streamClients;
  const line = "y".repeat(60_000);
  const sendLines = (): Promise<unknown> => Promise.all(Array.from({ length: 4 }, () => call(server.baseUrl, "POST", "/api/logging", line)));
  // A client that reads first warms up the memory of V8, the allocator and the stream, so that only the growth caused by the stopped client is
  // measured.
  const reader = await openStreamClient(Number(new URL(server.baseUrl).port), "/logs/stream");
  for (let messages = 0; messages < 400; messages += 4) await sendLines();
  reader.socket.destroy();
  await eventually(async () => (await clients()) === 0);
  const before = { descriptors: openDescriptors(server.pid), held: await server.heldBytes() };
  const program = `require("net").connect(${new URL(server.baseUrl).port}, "127.0.0.1").on("data", () => process.stdout.write("x")).write(${JSON.stringify(streamRequest("/logs/stream"))})`;
  const clientProcess = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    await new Promise((resolve) => clientProcess.stdout.once("data", resolve));
    expect(await clients()).toBe(1);
    clientProcess.kill("SIGSTOP");
    await server.checkInvariantsDuring(async () => {
      const deadline = performance.now() + 60_000;
      while ((await clients()) === 1 && performance.now() < deadline) await sendLines();
      expect(await clients()).toBe(0);
    }, withFastCanary);
    await eventually(() => openDescriptors(server.pid) <= before.descriptors + 5, 15_000);
    const growthMib = ((await server.heldBytes()) - before.held) / 1024 / 1024;
    expect(growthMib).toBeLessThan(8);
  } finally {
    clientProcess.kill("SIGKILL");
  }
}, 180_000);

it.skipIf(process.platform !== "linux")(
  "TCP keep-alive detects a stream client whose machine has disappeared (needs Linux)",
  async () => {
    server = await spawnWatched();
    const port = Number(new URL(server.baseUrl).port);
    const streamClient = await openStreamClient(port, "/logs/stream");
    const hex = (number: number | undefined): string => (number ?? 0).toString(16).toUpperCase().padStart(4, "0");
    /** The kernel timer on the server's side of the connection: kind 2 is keep-alive, with the remaining time in seconds. */
    const timer = (): { readonly kind: number; readonly seconds: number } => {
      const line = readFileSync("/proc/net/tcp", "utf8")
        .split("\n")
        .find((text) => text.includes(`:${hex(port)} `) && text.includes(`:${hex(streamClient.socket.localPort)} 01 `));
      const [, kind, remaining] = /^\s*\d+: \S+ \S+ 01 \S+ (\w\w):(\w{8})/.exec(line ?? "") ?? [];
      return { kind: Number.parseInt(kind ?? "0", 16), seconds: Number.parseInt(remaining ?? "0", 16) / 100 };
    };
    await eventually(() => timer().kind === 2, 5_000);
    expect(timer().seconds).toBeLessThanOrEqual(6);
    streamClient.socket.destroy();
  },
  60_000,
);

it("events reach their client within 100 ms of the step, without buffering", async () => {
  server = await spawnWatched();
  const port = Number(new URL(server.baseUrl).port);
  await server.putFlow("logging", logging);
  const streamClient = await openStreamClient(port, "/logs/stream?routeId=logging", true);
  const reference = await startBareServer();
  const idle: number[] = [];
  const delays: number[] = [];
  const arrivals: number[] = [];
  const replies: number[] = [];
  streamClient.socket.on("data", (chunk) => {
    for (const match of chunk.toString("latin1").matchAll(/"at":"([^"]+)"/g)) {
      delays.push(Date.now() - Date.parse(match[1] as string));
      arrivals.push(performance.now());
    }
  });
  for (let number = 0; number < 300; number++) {
    await call(server.baseUrl, "POST", "/api/logging", `m-${number}`);
    replies.push(performance.now());
    await eventually(() => arrivals.length > number, 10_000);
    const startTime = performance.now();
    await call(reference.baseUrl, "POST", "/", "x");
    idle.push(performance.now() - startTime);
  }
  expect(streamClient.text).toMatch(/^x-accel-buffering: no/im);
  expect(streamClient.text).not.toMatch(/^content-encoding:/im);
  const sorted = (values: readonly number[]): readonly number[] => values.toSorted((left, right) => left - right);
  // The latency of the bare server at the same time is the reference, because the machine may be busy.
  expect(sorted(delays)[297]).toBeLessThan(Math.max(100, 20 * (sorted(idle)[297] as number)));
  expect(sorted(arrivals.map((arrival, index) => arrival - (replies[index] as number)))[297]).toBeLessThan(100);
  await reference.end();
  streamClient.socket.destroy();
}, 120_000);
