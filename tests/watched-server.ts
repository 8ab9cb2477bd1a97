// What must hold through every fault: the same process goes on, a canary webhook is answered all the while, nothing is
// thrown that nobody caught, memory and descriptors come back, and the marker secret shows up nowhere.
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { expect } from "vitest";
import { spawnServer, type SpawnedServer, type SpawnOptions } from "./spawned-server.ts";
import { answering, eventually, sleep } from "./started-server.ts";

/** Stands for a secret of the operator: it is in the environment of every watched process. */
const markerSecret = "S3CR3T-7c1f0f0e-2f8e-4a54-9f0b-6a1f5e0f2a11";

/** Where a row of the matrix, or Node itself, has a bound of its own. */
interface Bounds {
  /** By how much the memory may have grown in the end: 50 MiB. */
  readonly growthMib?: number;
  /** How long 99 of 100 calls of the canary may take: 250 ms, and what two of them took before. */
  readonly canaryMs?: number;
}

export interface Watched extends SpawnedServer {
  /** Runs something while the canary sings, and then checks everything that must hold. */
  unharmed<T>(fault: () => Promise<T>, bounds?: Bounds): Promise<T>;
}

/** A runtime in a process of its own with a canary flow. */
export async function spawnWatched({ env = {}, ...options }: SpawnOptions = {}): Promise<Watched> {
  // Connections this test keeps for later calls are given up soon, so that they do not count as left behind.
  const server = await spawnServer({ ...options, env: { MARKER_PASSWORD: markerSecret, SERVICE_KEEP_ALIVE_MS: "2s", ...env } });
  expect((await server.putFlow("canary", answering("canary", "ok"))).status).toBeLessThan(300);
  const warmUp = canaryCaller(server);
  for (let calls = 0; calls < 50; calls++) await warmUp.call();
  warmUp.close();
  return {
    ...server,
    async unharmed(fault, { growthMib = 50, canaryMs = 250 } = {}) {
      const before = { rss: residentBytes(server.pid), descriptors: descriptorsOf(server.pid) };
      const canary = await startCanary(server);
      try {
        return await fault();
      } finally {
        await canary.stop();
        await checkUnharmed(server, { ...before, rss: before.rss + growthMib * 1024 * 1024, canaryMs: canaryMs + 2 * canary.baselineMs }, canary);
      }
    },
  };
}

async function checkUnharmed(server: SpawnedServer, most: { rss: number; descriptors: number; canaryMs: number }, canary: Canary): Promise<void> {
  expect(() => process.kill(server.pid, 0)).not.toThrow();
  expect(canary.wrong).toEqual([]);
  expect(canary.p99()).toBeLessThan(most.canaryMs);
  expect(server.output()).not.toMatch(/uncaughtException|unhandledRejection|MaxListeners/);
  expect(server.output()).not.toContain(markerSecret);
  await eventually(() => descriptorsOf(server.pid) <= most.descriptors + 5, 15_000).catch(() => {
    throw new Error(`descriptors did not come back: ${most.descriptors} before, ${descriptorsOf(server.pid)} after`);
  });
  await checkMemory(server, most.rss);
}

/** Garbage is collected when there is work, so ordinary calls go on while the memory is watched. */
async function checkMemory(server: SpawnedServer, most: number): Promise<void> {
  const { call, close } = canaryCaller(server);
  const deadline = performance.now() + 20_000;
  while (residentBytes(server.pid) > most) {
    if (performance.now() > deadline) throw new Error(`memory did not come back: ${residentBytes(server.pid)} bytes instead of at most ${most}`);
    await Promise.all(Array.from({ length: 20 }, call));
  }
  close();
}

interface Canary {
  readonly wrong: string[];
  /** The slowest call before the fault began. */
  readonly baselineMs: number;
  p99(): number;
  stop(): Promise<void>;
}

async function startCanary(server: SpawnedServer): Promise<Canary> {
  const { call, close } = canaryCaller(server);
  const times: number[] = [];
  const wrong: string[] = [];
  let baselineMs = 0;
  for (let calls = 0; calls < 10; calls++) {
    baselineMs = Math.max(baselineMs, (await call()).ms);
    await sleep(20);
  }
  const pending = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = call().then(
      ({ status, text, ms }) => {
        times.push(ms);
        if (status !== 200 || text !== "ok") wrong.push(`${status} ${text}`);
      },
      (error: Error) => void wrong.push(error.message),
    );
    pending.add(one);
    void one.finally(() => pending.delete(one));
  }, 100);
  return {
    wrong,
    baselineMs,
    p99: () => times.toSorted((left, right) => left - right)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? 0,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      close();
    },
  };
}

interface CanaryReply {
  readonly status: number;
  readonly text: string;
  /** How long the runtime took: without the time in which it, or this test, was ready to run and got no processor. */
  readonly ms: number;
}

/** Calls the canary on connections of its own, which last until they are closed. */
function canaryCaller({ baseUrl, pid }: SpawnedServer): { call(): Promise<CanaryReply>; close(): void } {
  const agent = new Agent({ keepAlive: true });
  const call = (isRepeated = false): Promise<CanaryReply> =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const starved = starvation(pid);
      const outgoing = request(`${baseUrl}/api/canary`, { method: "POST", agent: isRepeated ? false : agent, timeout: 20_000 }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text, ms: Math.max(0, performance.now() - began - starved()) }));
        incoming.on("error", reject);
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error("the canary was not answered for 20 s")));
      // A kept connection may end, idle for too long, at the very moment it is used again: such a call is made once more, on a new one.
      outgoing.on("error", (error) => (outgoing.reusedSocket && !isRepeated ? call(true).then(resolve, reject) : reject(error)));
      outgoing.end("x");
    });
  return { call: () => call(), close: () => agent.destroy() };
}

/** Counts the time from now on in which a process' main thread or this test's own waited for a processor, or this test used it. */
function starvation(pid: number): () => number {
  const lost = (): number => {
    const own = scheduling("/proc/thread-self/schedstat");
    return starvedMs(pid) + own.ran + own.waited;
  };
  const before = lost();
  return () => lost() - before;
}

/** How long a process' main thread was ready to run so far and others had the processor. */
export const starvedMs = (pid: number): number => scheduling(`/proc/${pid}/schedstat`).waited;

function scheduling(path: string): { readonly ran: number; readonly waited: number } {
  const [ran, waited] = readFileSync(path, "utf8")
    .split(" ")
    .map((nanoseconds) => Number(nanoseconds) / 1e6);
  return { ran: ran ?? 0, waited: waited ?? 0 };
}

/** The memory a process holds, shared pages included. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** The files and sockets a process has open. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
