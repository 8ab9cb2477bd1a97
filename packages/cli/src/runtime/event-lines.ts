// Formats events and runs as lines of text.
import type { EventOf, LogEvent, Run, RunDetail, StreamName, TraceEvent } from "@sluice/client";
import type { Style, Terminal } from "../terminal/terminal.ts";

type Paint = Terminal["style"];

const time = (iso: string): string => new Date(iso).toTimeString().slice(0, 8) + iso.slice(19, 23);
const oneLine = (text: unknown, maxLength: number): string => {
  // oxlint-disable-next-line no-control-regex -- message content must not control the terminal
  const flat = String(text ?? "").replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, " ");
  return flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
};
const took = (durationMs: unknown): string => (typeof durationMs === "number" ? ` ${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms` : "");

/** Formats a stream event as one line; undefined for events that are not shown. */
export function eventLine(event: EventOf<StreamName>, { style, columns }: Pick<Terminal, "style" | "columns">): string | undefined {
  if (event.name === "gap") return undefined;
  return event.name === "trace" ? traceLine(event.data, style, columns) : logLine(event.data, style);
}

function traceLine(event: TraceEvent, paint: Paint, columns = 100): string | undefined {
  const at = paint("dim", time(String(event.at)));
  const { type, routeId, stepId, kind, label, error } = event;
  const body = event.message?.body ? paint("dim", ` ${oneLine(event.message.body, Math.max(20, columns - 60))}`) : "";
  switch (type) {
    case "run.started":
      return `${at} ${paint("bold", String(routeId))} ${paint("dim", String(event.runId))}${body}`;
    case "step.completed":
      return `${at}   ${paint("green", "✓")} ${stepId} ${paint("dim", label === stepId ? String(kind) : `${kind} ${oneLine(label, 40)}`)}${took(event.durationMs)}${event.mocked === true ? " mocked" : ""}${body}`;
    case "step.failed":
      return `${at}   ${paint("red", "✗")} ${stepId} ${paint("dim", String(kind))}${took(event.durationMs)} ${paint("red", oneLine(error?.message, columns))}`;
    case "step.retrying":
      return `${at}   ${paint("yellow", "↻")} ${stepId} attempt ${event.attempt} ${oneLine(error?.message, columns)}`;
    case "step.started":
      return undefined;
    case "run.completed":
      return `${at} ${paint("green", `${routeId} completed`)}${took(event.durationMs)}${body}`;
    case "run.failed":
      return `${at} ${paint("red", `${routeId} failed`)}${took(event.durationMs)} ${paint("red", oneLine(error?.message, columns))}`;
    default:
      return `${at} ${paint("cyan", `${type} ${event.flowId ?? routeId ?? ""}`)}`;
  }
}

const levelStyles: Readonly<Record<string, Style>> = { ERROR: "red", WARN: "yellow", INFO: "cyan" };

function logLine(event: LogEvent, paint: Paint): string {
  const { level, logger, message, at } = event;
  return `${paint("dim", time(String(at)))} ${paint(levelStyles[level] ?? "dim", String(level).padEnd(5))} ${paint("bold", String(logger))} ${oneLine(message, 2_000)}`;
}

const statusStyles: Readonly<Record<string, Style>> = { completed: "green", failed: "red", running: "cyan", retrying: "yellow" };

/** One run as a line. `routeWidth` aligns the columns of several. */
export function runLine(run: Run, paint: Paint, routeWidth = 0): string {
  const error = run.error === null || run.error === undefined ? "" : ` ${oneLine(run.error.message, 120)}`;
  const status = paint(statusStyles[run.status] ?? "dim", String(run.status).padEnd(9));
  const route = paint("bold", String(run.routeId).padEnd(routeWidth));
  return `${run.startedAt} ${status} ${route} ${run.id}${took(run.durationMs).padStart(routeWidth === 0 ? 0 : 10)}${error}`.trimEnd();
}

/** The width of the route column for these runs, ignoring outliers. */
export function routeWidthOf(runs: readonly Run[]): number {
  return Math.min(40, Math.max(0, ...runs.map(({ routeId }) => String(routeId).length)));
}

/** One run with its steps. */
export function runText(run: RunDetail, paint: Paint): string {
  const lines = [
    runLine(run, paint),
    `  flow ${run.flowId}, ${run.trigger?.method === undefined ? "" : `${run.trigger.method} `}${run.trigger?.path ?? run.trigger?.uri ?? ""}`,
  ];
  for (const step of run.steps ?? [])
    lines.push(
      `  ${step.status === "failed" ? paint("red", "✗") : paint("green", "✓")} ${step.stepId} ${paint("dim", String(step.kind))}${took(step.durationMs)}${step.attempts > 1 ? ` ${step.attempts} attempts` : ""}`,
    );
  if (run.request?.preview) lines.push(`  request  ${oneLine(run.request.preview, 200)}`);
  if (run.error)
    lines.push(
      `  error    ${paint("red", `${run.error.type}: ${oneLine(run.error.message, 500)}`)}${run.error.stepId === null ? "" : ` at ${run.error.stepId}`}`,
    );
  if (run.replayable !== undefined)
    lines.push(`  replay   ${run.replayable === true ? `sluice replay ${run.id}` : "not possible: its message was not stored"}`);
  return lines.join("\n");
}
