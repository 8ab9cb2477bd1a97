// Output of a command: results go to standard output, notes and progress to standard error. Colors and progress are used only on a
// terminal.
import { createInterface } from "node:readline";
import { Writable, type Readable } from "node:stream";
import { styleText } from "node:util";

export type Style = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

export interface Terminal {
  /** A result: one or more lines. */
  write(text: string): void;
  /** A note on standard error. */
  note(text: string): void;
  readonly columns: number;
  /** Whether a person reads standard output: text is then shortened to the width of the terminal. */
  readonly isInteractive: boolean;
  /** Asks a question and returns the answer; undefined if nobody can answer, because standard input or standard error is not a terminal. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
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

type Input = Readable & { readonly isTTY?: boolean };

export function createTerminal(output: Stream = process.stdout, stderr: Stream = process.stderr, input: Input = process.stdin): Terminal {
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
    isInteractive: output.isTTY === true,
    async ask(question, signal) {
      if (input.isTTY !== true || stderr.isTTY !== true) return undefined;
      clear();
      stderr.write(question);
      return firstLine(input, signal);
    },
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

/** The first line of the input; empty if the input ends, as with Ctrl-D. */
function firstLine(input: Input, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input });
  return new Promise<string>((resolve, reject) => {
    lines.once("line", resolve).once("close", () => resolve(""));
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  }).finally(() => lines.close());
}
