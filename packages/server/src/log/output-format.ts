// How the lines of a process are written to its output: as JSON, or readable for people in a terminal.
import type { Settings } from "../config.ts";
import { readableLine, type Color, type Paint } from "./readable-line.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Converts complete lines before they are written; undefined when they are written as they are. */
export type LineFormat = ((lines: Buffer) => Buffer) | undefined;

const codes: Readonly<Record<Color, readonly [on: number, off: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  bold: [1, 22],
  dim: [2, 22],
};

const colored: Paint = (color, text) => `\u001B[${codes[color][0]}m${text}\u001B[${codes[color][1]}m`;
const uncolored: Paint = (_color, text) => text;

export function lineFormat({ logFormat }: Pick<Settings, "logFormat">, environment: Environment, isTerminal: boolean): LineFormat {
  if (logFormat === "json" || (logFormat === "auto" && !isTerminal)) return undefined;
  const paint = isTerminal && (environment["NO_COLOR"] ?? "") === "" ? colored : uncolored;
  return (lines) =>
    Buffer.from(
      lines
        .toString("utf8")
        .split("\n")
        .map((line) => readableLine(line, paint))
        .join("\n"),
    );
}
