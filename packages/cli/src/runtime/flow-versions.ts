// Versions of a flow as lines of text, and their differences.
import { isDeepStrictEqual } from "node:util";
import type { Flow, FlowVersion, FlowVersionText } from "@sluice/client";
import { tableText } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printedDiff } from "./printed-diff.ts";

/** Versions as a table; the running one is marked. */
export function versionsText(versions: readonly FlowVersion[], terminal: Terminal): string {
  return tableText(
    [
      { title: "REVISION", text: ({ revision }) => revision, isNumber: true, style: ({ running }) => (running ? "green" : undefined) },
      { title: "AT", text: ({ at }) => at },
      { title: "BY", text: ({ by }) => by ?? "file changed manually" },
      { title: "BYTES", text: ({ size }) => size, isNumber: true },
      { title: "HASH", text: ({ hash }) => hash.slice(0, 12), style: () => "dim" },
      { title: "REMARKS", text: remarksOf },
    ],
    versions,
    terminal,
  );
}

function remarksOf({ running, restoredFrom, comment }: FlowVersion): string {
  const remarks = [running ? "running" : "", restoredFrom === null ? "" : `restored from ${restoredFrom}`, comment ?? ""];
  return remarks.filter((text) => text !== "").join(", ");
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
