import { createTerminal, type Terminal } from "./terminal.ts";

export interface RecordedTerminal extends Terminal {
  readonly output: () => string;
  readonly remarks: () => string;
}

/** A terminal that keeps what is written; a person sees it when told so. */
export function recordedTerminal(seen = false): RecordedTerminal {
  const kept = { output: "", remarks: "" };
  const terminal = createTerminal(
    { isTTY: seen, columns: 100, write: (text: string) => (kept.output += text) },
    { isTTY: seen, columns: 60, write: (text: string) => (kept.remarks += text) },
  );
  return { ...terminal, output: () => kept.output, remarks: () => kept.remarks };
}
