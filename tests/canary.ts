// A webhook that must not notice what others suffer: called ten times a second all through a test.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { answering } from "./started-server.ts";

export const canaryFlow = answering("canary", "ok");
const loop = fileURLToPath(new URL("canary-loop.mjs", import.meta.url));

export interface Canary {
  /** Calls are being made. */
  readonly ready: Promise<void>;
  /**
   * Ends it and checks: every call answered 200 `ok`, 99 of 100 within a quarter of a second. Where an idle server, called in turn
   * with it, takes long too, the machine is busy with others: twenty times what that one needed is allowed then.
   */
  stop(): Promise<{ readonly calls: number; readonly p99: number; readonly idleP99: number }>;
}

const p99Of = (times: readonly number[]): number => times.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(times.length * 0.99) - 1)] ?? Number.NaN;

export function startCanary(baseUrl: string): Canary {
  const child = spawn(process.execPath, [loop, `${baseUrl}/api/canary`], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const ready = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  return {
    ready,
    async stop() {
      child.stdin.end();
      await ended;
      const { times, idle, wrong } = JSON.parse(output) as { times: number[]; idle: number[]; wrong: string[] };
      const [p99, idleP99] = [p99Of(times), p99Of(idle)];
      expect(wrong).toEqual([]);
      if (times.length > 0) expect(p99).toBeLessThan(Math.max(250, 20 * idleP99));
      return { calls: times.length, p99, idleP99 };
    },
  };
}
