import { Readable, Writable } from "node:stream";
import { WriteStream } from "node:tty";
import { createTerminal, type Terminal } from "./terminal.ts";

export interface RecordedTerminal extends Terminal {
  readonly output: () => string;
  readonly stderr: () => string;
}

interface RecordedTerminalOptions {
  readonly isInteractive?: boolean;
  /** What the user of an interactive terminal types. */
  readonly answer?: string;
  /** Called after each output. */
  readonly onWrite?: () => void;
}

/** A terminal that records its output. */
export function recordedTerminal({ answer, isInteractive = answer !== undefined, onWrite }: RecordedTerminalOptions = {}): RecordedTerminal {
  const recorded = { output: "", stderr: "" };
  const streamFor = (name: keyof typeof recorded, columns: number) => {
    const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
      recorded[name] += String(chunk);
      onWrite?.();
      done();
    };
    // As for a real terminal, depends on NO_COLOR, FORCE_COLOR and TERM.
    const getColorDepth = (): number => WriteStream.prototype.getColorDepth();
    return Object.assign(new Writable({ write, decodeStrings: false }), { isTTY: isInteractive, columns, getColorDepth });
  };
  const input = Object.assign(Readable.from([`${answer}\n`]), { isTTY: isInteractive });
  const terminal = createTerminal(streamFor("output", 100), streamFor("stderr", 60), input);
  return { ...terminal, output: () => recorded.output, stderr: () => recorded.stderr };
}
