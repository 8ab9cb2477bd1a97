// Versions of a flow as lines of text, and their differences.
import { isDeepStrictEqual } from "node:util";
import type { Flow, FlowVersion, FlowVersionText } from "@sluice/client";
import type { Terminal } from "../terminal/terminal.ts";
import { printedDiff } from "./printed-diff.ts";

/** One version as a line: `* 3  2026-11-16T13:41:07.120Z  ada  412 B  1f0c…  comment`. */
export function versionLine({ revision, at, by, size, hash, running, restoredFrom, comment }: FlowVersion, style: Terminal["style"]): string {
  const mark = running ? style("green", "*") : " ";
  const remarks = [running ? "running" : "", restoredFrom === null ? "" : `restored from ${restoredFrom}`, comment ?? ""]
    .filter((text) => text !== "")
    .join(", ");
  return `${mark} ${style("bold", String(revision).padStart(4))}  ${at}  ${(by ?? "file changed manually").padEnd(16)}  ${String(size).padStart(7)} B  ${style("dim", hash.slice(0, 12))}  ${remarks}`.trimEnd();
}

/** The changes to parameters and lines that a rollback to this version would make. */
export function versionDiff(before: Pick<Flow, "yaml" | "params">, after: Pick<FlowVersionText, "yaml" | "params">): readonly string[] {
  const names = [...new Set([...Object.keys(before.params), ...Object.keys(after.params)])].sort();
  const params = names.flatMap((name) => {
    const [old, next] = [before.params[name], after.params[name]];
    if (isDeepStrictEqual(old, next)) return [];
    return [
      ...(old === undefined ? [] : [`- param ${name}: ${JSON.stringify(old)}`]),
      ...(next === undefined ? [] : [`+ param ${name}: ${JSON.stringify(next)}`]),
    ];
  });
  return [...params, ...(before.yaml === after.yaml ? [] : printedDiff(before.yaml, after.yaml))];
}

export const colorDiff = (lines: readonly string[], style: Terminal["style"]): string =>
  lines.map((line) => `    ${line.startsWith("+") ? style("green", line) : line.startsWith("-") ? style("red", line) : line}`).join("\n");
