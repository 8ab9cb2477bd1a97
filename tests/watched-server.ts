// Invariants during every fault: the same process continues, a canary webhook always responds, no exception is uncaught, memory and
// descriptors are released, and the marker secret appears nowhere.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { canaryFlow, startCanary } from "./canary.ts";
import { openDescriptors, residentBytes } from "./process-usage.ts";
import { spawnServer, type SpawnedServer, type SpawnOptions } from "./spawned-server.ts";
import { call, eventually } from "./started-server.ts";
import { unexpectedOutput } from "./unexpected-output.ts";

/** Represents a secret of the operator: it is in the environment of every watched process. */
const markerSecret = "S3CR3T-7c1f0f0e-2f8e-4a54-9f0b-6a1f5e0f2a11";

const collector = fileURLToPath(new URL("collect-garbage.cjs", import.meta.url));

/** Limits that differ from the defaults for one call. */
interface Bounds {
  /** Allowed memory growth at the end; 50 MiB by default. */
  readonly growthMib?: number;
  /** Allowed p99 latency of the canary; unlimited by default, because a test of `npm test` measures no time. */
  readonly canaryMs?: number;
}

/** For tests of faults: the canary is not delayed. */
export const withFastCanary: Bounds = { canaryMs: 250 };

export interface WatchedServer extends SpawnedServer {
  /** Runs `fault` while the canary is called, and then checks all invariants. */
  checkInvariantsDuring<T>(fault: () => Promise<T>, bounds?: Bounds): Promise<T>;
  /** The bytes it needs, on V8's heap and outside it, after garbage collection. */
  heldBytes(): Promise<number>;
}

/** A runtime in a separate process with a canary flow. */
export async function spawnWatched({ env = {}, ...options }: SpawnOptions = {}): Promise<WatchedServer> {
  // Idle connections of this test are closed soon, so that they do not count as leaked.
  const variables = { MARKER_PASSWORD: markerSecret, SERVICE_KEEP_ALIVE_MS: "2s", NODE_OPTIONS: `--require "${collector}"`, ...env };
  const server = await spawnServer({ ...options, env: variables });
  expect((await server.putFlow("canary", canaryFlow)).status).toBeLessThan(300);
  for (let calls = 0; calls < 50; calls++) expect((await call(server.baseUrl, "POST", "/api/canary", "x")).text).toBe("ok");
  return {
    ...server,
    async checkInvariantsDuring(fault, { growthMib = 50, canaryMs } = {}) {
      await collectGarbage(server);
      const limits = { rss: residentBytes(server.pid) + growthMib * 1024 * 1024, descriptors: openDescriptors(server.pid) };
      const canary = await startCanary(server, canaryMs);
      try {
        return await fault();
      } finally {
        await canary.stop();
        await checkInvariants(server, limits);
      }
    },
    async heldBytes() {
      await collectGarbage(server);
      const { heapUsed, external } = (await server.api("GET", "/health")).json.memory as { heapUsed: number; external: number };
      return heapUsed + external;
    },
  };
}

async function checkInvariants(server: SpawnedServer, limits: { rss: number; descriptors: number }): Promise<void> {
  expect(() => process.kill(server.pid, 0)).not.toThrow();
  expect(server.output()).not.toMatch(unexpectedOutput);
  expect(server.output()).not.toContain(markerSecret);
  await eventually(() => openDescriptors(server.pid) <= limits.descriptors + 5).catch(() => {
    throw new Error(`descriptors were not released: ${limits.descriptors} before, ${openDescriptors(server.pid)} after`);
  });
  await checkMemory(server, limits.rss);
}

/** Other threads return freed pages some time after a collection. */
async function checkMemory(server: SpawnedServer, maxBytes: number): Promise<void> {
  await eventually(async () => {
    if (residentBytes(server.pid) <= maxBytes) return true;
    await collectGarbage(server);
    return false;
  }).catch(() => {
    throw new Error(`memory was not released: ${residentBytes(server.pid)} bytes instead of at most ${maxBytes}`);
  });
}

/** Runs garbage collection in the process. */
async function collectGarbage({ pid }: SpawnedServer): Promise<void> {
  const collections = (): number => Number(/^collected (\d+)/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1] ?? 0);
  const before = collections();
  process.kill(pid, "SIGUSR2");
  await eventually(() => collections() > before);
}
