import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Reads the base URL from the line that the runtime writes when it is ready, and forwards every line to standard output. Plug-ins may
 * write other lines before it. Undefined if the runtime exited.
 */
export function readyUrl(runtime: ChildProcess): Promise<string | undefined> {
  const lines = createInterface({ input: runtime.stdout as NodeJS.ReadableStream });
  return new Promise((ready) => {
    let isReady = false;
    // Not when the process exits: its last lines may not have been read then.
    lines.once("close", () => ready(undefined));
    lines.on("line", (line) => {
      process.stdout.write(`${line}\n`);
      const baseUrl = isReady ? undefined : baseUrlIn(line);
      if (baseUrl === undefined) return;
      isReady = true;
      ready(baseUrl);
    });
  });
}

function baseUrlIn(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { baseUrl } = JSON.parse(line) as { readonly baseUrl?: unknown };
    return typeof baseUrl === "string" ? baseUrl : undefined;
  } catch {
    return undefined;
  }
}
