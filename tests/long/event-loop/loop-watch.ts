// Measures externally how long a runtime's event loop is blocked: another process calls a webhook every 10 ms. Only the CPU time of the runtime's
// main thread during a call counts, so a busy machine changes the result little.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { SpawnedServer } from "../../spawned-server.ts";

const loopScript = fileURLToPath(new URL("../../canary-loop.mjs", import.meta.url));

/** The limit for any single input, on a machine without other load. */
export const budgetMs = 250;
/** A limit for any machine: the inputs of the long tests once blocked the event loop for several seconds. */
export const longMs = 1_000;

export interface LoopWatch {
  /** The maximum time that the event loop was blocked since the last call, in milliseconds; waits for pending calls. */
  measure(): Promise<number>;
  end(): Promise<void>;
}

/** Starts calling `/api/canary` of a runtime. */
export async function watchLoop({ baseUrl, pid }: Pick<SpawnedServer, "baseUrl" | "pid">): Promise<LoopWatch> {
  const child = spawn(process.execPath, [loopScript, `${baseUrl}/api/canary`, String(pid), "10"], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "close");
  const nextLine = async (): Promise<string> => {
    const [line] = (await Promise.race([once(lines, "line"), ended.then(() => Promise.reject(new Error("the canary process ended")))])) as [string];
    return line;
  };
  await nextLine();
  return {
    async measure() {
      const line = nextLine();
      child.stdin.write("\n");
      return (JSON.parse(await line) as { longest: number }).longest;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
