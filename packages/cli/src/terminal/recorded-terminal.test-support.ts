import { createTerminal, type Terminal } from "./terminal.ts";

export interface RecordedTerminal extends Terminal {
  readonly output: () => string;
  readonly stderr: () => string;
}

/** A terminal that records its output; interactive if requested. */
export function recordedTerminal(seen = false): RecordedTerminal {
  const kept = { output: "", stderr: "" };
  const terminal = createTerminal(
    { isTTY: seen, columns: 100, write: (text: string) => (kept.output += text) },
    { isTTY: seen, columns: 60, write: (text: string) => (kept.stderr += text) },
  );
  return { ...terminal, output: () => kept.output, stderr: () => kept.stderr };
}
