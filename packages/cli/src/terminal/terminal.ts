// Where a command writes: results to standard output, everything about the work itself to standard error. Colours and progress appear
// only where a person sees them.
import { Writable } from "node:stream";
import { styleText } from "node:util";

export type Style = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

export interface Terminal {
  /** A result: one or more lines. */
  write(text: string): void;
  /** A remark about the work. */
  note(text: string): void;
  /** True when a person sees standard output. */
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Coloured text for standard output; plain where colours are not wanted (NO_COLOR) or not seen. */
  style(style: Style | readonly Style[], text: string): string;
  /** Replaces the progress line on standard error; writes nothing when that is no terminal. Undefined takes the line away. */
  progress(text: string | undefined): void;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createTerminal(output: Stream = process.stdout, remarks: Stream = process.stderr): Terminal {
  let shown = false;
  const clear = (): void => {
    if (shown) remarks.write("\r\u001B[2K");
    shown = false;
  };
  return {
    write(text) {
      clear();
      output.write(text.endsWith("\n") ? text : `${text}\n`);
    },
    note(text) {
      clear();
      remarks.write(text.endsWith("\n") ? text : `${text}\n`);
    },
    isTerminal: output.isTTY === true,
    columns: output.columns ?? 100,
    // Node looks at NO_COLOR, FORCE_COLOR and the stream itself.
    style: (style, text) => (output.isTTY === true && output instanceof Writable ? styleText(style as Style[], text, { stream: output }) : text),
    progress(text) {
      clear();
      if (text === undefined || remarks.isTTY !== true) return;
      const width = Math.max(20, (remarks.columns ?? 80) - 1);
      remarks.write(text.length > width ? `${text.slice(0, width - 1)}…` : text);
      shown = true;
    },
  };
}
