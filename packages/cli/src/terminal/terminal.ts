// Output of a command: results go to standard output, notes and progress to standard error. Colors and progress are used only on a
// terminal.
import { Writable } from "node:stream";
import { styleText } from "node:util";

export type Style = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

export interface Terminal {
  /** A result: one or more lines. */
  write(text: string): void;
  /** A note on standard error. */
  note(text: string): void;
  readonly columns: number;
  /** Colored text for standard output; plain text with NO_COLOR or without a terminal. */
  style(style: Style | readonly Style[], text: string): string;
  /** Replaces the progress line on standard error; does nothing without a terminal. Undefined clears the line. */
  progress(text: string | undefined): void;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createTerminal(output: Stream = process.stdout, stderr: Stream = process.stderr): Terminal {
  let hasProgress = false;
  const clear = (): void => {
    if (hasProgress) stderr.write("\r\u001B[2K");
    hasProgress = false;
  };
  return {
    write(text) {
      clear();
      output.write(text.endsWith("\n") ? text : `${text}\n`);
    },
    note(text) {
      clear();
      stderr.write(text.endsWith("\n") ? text : `${text}\n`);
    },
    columns: output.columns ?? 100,
    // Node checks NO_COLOR, FORCE_COLOR and the stream.
    style: (style, text) => (output.isTTY === true && output instanceof Writable ? styleText(style as Style[], text, { stream: output }) : text),
    progress(text) {
      clear();
      if (text === undefined || stderr.isTTY !== true) return;
      const width = Math.max(20, (stderr.columns ?? 80) - 1);
      stderr.write(text.length > width ? `${text.slice(0, width - 1)}…` : text);
      hasProgress = true;
    },
  };
}
