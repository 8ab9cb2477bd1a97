// A webhook that must not notice what others suffer: called ten times a second all through a test, by a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { SpawnedServer } from "./spawned-server.ts";
import { answering } from "./started-server.ts";

export const canaryFlow = answering("canary", "ok");
const loop = fileURLToPath(new URL("canary-loop.mjs", import.meta.url));

export interface Canary {
  /** Ends it and checks: every call answered 200 `ok`, 99 of 100 within the limit, without what the machine kept from the runtime or the caller. */
  stop(): Promise<{ readonly calls: number; readonly p99: number }>;
}

/** Begins to call; it does by the time this is fulfilled. */
export async function startCanary({ baseUrl, pid }: Pick<SpawnedServer, "baseUrl" | "pid">, limitMs = 250): Promise<Canary> {
  const child = spawn(process.execPath, [loop, `${baseUrl}/api/canary`, String(pid)], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  return {
    async stop() {
      child.stdin.end();
      await ended;
      const { times, wrong } = JSON.parse(output) as { times: number[]; wrong: string[] };
      const p99 = times.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? 0;
      expect(wrong).toEqual([]);
      expect(p99).toBeLessThan(limitMs);
      return { calls: times.length, p99 };
    },
  };
}
