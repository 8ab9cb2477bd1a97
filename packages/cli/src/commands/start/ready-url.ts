import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/**
 * Reads the base URL from the line that the runtime writes when it is ready, and passes on every line; `isReady` is true for that line.
 * Plug-ins may write other lines before it. Undefined if the output ended.
 */
export function readyUrl(output: Readable, write: (line: string, isReady: boolean) => void): Promise<string | undefined> {
  const lines = createInterface({ input: output });
  return new Promise((ready) => {
    let isReady = false;
    // Not when the process exits: its last lines may not have been read then.
    lines.once("close", () => ready(undefined));
    lines.on("line", (line) => {
      const baseUrl = isReady ? undefined : baseUrlIn(line);
      write(line, baseUrl !== undefined);
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
