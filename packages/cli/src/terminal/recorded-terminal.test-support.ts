import { createTerminal, type Terminal } from "./terminal.ts";

export interface RecordedTerminal extends Terminal {
  readonly output: () => string;
  readonly stderr: () => string;
}

/** A terminal that records its output; `isInteractive` simulates an interactive terminal. */
export function recordedTerminal(isInteractive = false): RecordedTerminal {
  const recorded = { output: "", stderr: "" };
  const terminal = createTerminal(
    { isTTY: isInteractive, columns: 100, write: (text: string) => (recorded.output += text) },
    { isTTY: isInteractive, columns: 60, write: (text: string) => (recorded.stderr += text) },
  );
  return { ...terminal, output: () => recorded.output, stderr: () => recorded.stderr };
}
