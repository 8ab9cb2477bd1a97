// A webhook that must not be affected by other load: called ten times a second during a test, from a separate process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { SpawnedServer } from "./spawned-server.ts";
import { replyFlow } from "./started-server.ts";

export const canaryFlow = replyFlow("canary", "ok");
const loopScript = fileURLToPath(new URL("canary-loop.mjs", import.meta.url));

export interface Canary {
  /**
   * Stops the canary, and checks that every reply was 200 `ok` and that the p99 latency is within the limit. Time in which the runtime or the caller
   * waited for a CPU does not count.
   */
  stop(): Promise<{ readonly calls: number; readonly p99: number }>;
}

/** Starts calling; resolves after the warm-up calls. */
export async function startCanary({ baseUrl, pid }: Pick<SpawnedServer, "baseUrl" | "pid">, limitMs = Infinity): Promise<Canary> {
  const child = spawn(process.execPath, [loopScript, `${baseUrl}/api/canary`, String(pid)], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  return {
    async stop() {
      child.stdin.end();
      await ended;
      const { times, wrong } = JSON.parse(output) as { times: number[]; wrong: string[] };
      const p99 = times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? 0;
      expect(wrong).toEqual([]);
      expect(p99).toBeLessThan(limitMs);
      return { calls: times.length, p99 };
    },
  };
}
