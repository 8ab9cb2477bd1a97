// Formats events and runs as lines of text.
import type { EventOf, LogEvent, Run, RunDetail, StreamName, TraceEvent } from "@sluice/client";
import { readableRecord, timeOfDay } from "@sluice/server/log-line";
import { plainText } from "../terminal/plain-text.ts";
import type { Style, Terminal } from "../terminal/terminal.ts";

const oneLine = (text: unknown, maxLength: number): string => {
  const flat = plainText(text);
  return flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
};
const duration = (ms: unknown): string => (typeof ms === "number" ? ` ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : "");

/** Formats a stream event as one line; undefined for events that are not shown. */
export function eventLine(event: EventOf<StreamName>, { style, columns }: Pick<Terminal, "style" | "columns">): string | undefined {
  if (event.name === "gap") return undefined;
  return event.name === "trace" ? traceLine(event.data, style, columns) : logLine(event.data, style);
}

function traceLine(event: TraceEvent, style: Terminal["style"], columns = 100): string | undefined {
  const at = style("dim", timeOfDay(String(event.at)));
  const { type, routeId, stepId, kind, label, error } = event;
  const body = event.message?.body ? style("dim", ` ${oneLine(event.message.body, Math.max(20, columns - 60))}`) : "";
  switch (type) {
    case "run.started":
      return `${at} ${style("bold", String(routeId))} ${style("dim", String(event.runId))}${body}`;
    case "step.completed":
      return `${at}   ${style("green", "✓")} ${stepId} ${style("dim", label === stepId ? String(kind) : `${kind} ${oneLine(label, 40)}`)}${duration(event.durationMs)}${event.mocked === true ? " mocked" : ""}${body}`;
    case "step.failed":
      return `${at}   ${style("red", "✗")} ${stepId} ${style("dim", String(kind))}${duration(event.durationMs)} ${style("red", oneLine(error?.message, columns))}`;
    case "step.retrying":
      return `${at}   ${style("yellow", "↻")} ${stepId} attempt ${event.attempt} ${oneLine(error?.message, columns)}`;
    case "step.started":
      return undefined;
    case "run.completed":
      return `${at} ${style("green", `${routeId} completed`)}${duration(event.durationMs)}${body}`;
    case "run.failed":
      return `${at} ${style("red", `${routeId} failed`)}${duration(event.durationMs)} ${style("red", oneLine(error?.message, columns))}`;
    default:
      return `${at} ${style("cyan", `${type} ${event.flowId ?? routeId ?? ""}`)}`;
  }
}

function logLine({ at, level, logger, message, fields }: LogEvent, style: Terminal["style"]): string {
  return readableRecord({ time: at, level, logger, message: oneLine(message, 2_000), fields }, style);
}

const statusStyles: Readonly<Record<string, Style>> = { completed: "green", failed: "red", running: "cyan", retrying: "yellow" };

export const runStyle = (status: string): Style => statusStyles[status] ?? "dim";

/** One run as a line. `routeWidth` aligns the columns of several runs. */
export function runLine(run: Run, style: Terminal["style"], routeWidth = 0): string {
  const error = run.error === null || run.error === undefined ? "" : ` ${oneLine(run.error.message, 120)}`;
  const status = style(runStyle(run.status), run.status.padEnd(9));
  const route = style("bold", String(run.routeId).padEnd(routeWidth));
  return `${run.startedAt} ${status} ${route} ${run.id}${duration(run.durationMs).padStart(routeWidth === 0 ? 0 : 10)}${error}`.trimEnd();
}

/** The width of the route column for these runs, ignoring outliers. */
export function routeWidthOf(runs: readonly Run[]): number {
  return Math.min(40, Math.max(0, ...runs.map(({ routeId }) => String(routeId).length)));
}

/** One run with its steps. */
export function runText(run: RunDetail, style: Terminal["style"]): string {
  const lines = [
    runLine(run, style),
    `  flow ${run.flowId}, ${run.trigger?.method === undefined ? "" : `${run.trigger.method} `}${run.trigger?.path ?? run.trigger?.uri ?? ""}`,
  ];
  for (const step of run.steps ?? [])
    lines.push(
      `  ${step.status === "failed" ? style("red", "✗") : style("green", "✓")} ${step.stepId} ${style("dim", String(step.kind))}${duration(step.durationMs)}${step.attempts > 1 ? ` ${step.attempts} attempts` : ""}`,
    );
  if (run.request?.preview) lines.push(`  request  ${oneLine(run.request.preview, 200)}`);
  if (run.error)
    lines.push(
      `  error    ${style("red", `${run.error.type}: ${oneLine(run.error.message, 500)}`)}${run.error.stepId === null ? "" : ` at ${run.error.stepId}`}`,
    );
  if (run.replayable !== undefined)
    lines.push(`  replay   ${run.replayable === true ? `sluice replay ${run.id}` : "not possible: its message was not stored"}`);
  return lines.join("\n");
}
