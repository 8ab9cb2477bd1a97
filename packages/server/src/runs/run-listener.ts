import type { SluiceEvents } from "@sluice/connectors";
import type { Log, RunListener } from "@sluice/engine";
import { maskUris } from "../masking/secret-uris.ts";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { SpanExport } from "../metrics/span-export.ts";
import type { KeptRuns } from "../replay/kept-runs.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import type { RunHistory } from "./run-history.ts";

export interface RunFollowers {
  readonly history: RunHistory;
  readonly kept: KeptRuns;
  readonly counts: RunCounts;
  readonly trace: TraceRecorder;
  readonly log: Log;
  readonly events: SluiceEvents;
  /** Undefined unless a collector is configured. */
  readonly spans: SpanExport | undefined;
}

/** Everybody who is told about runs: the history always, the trace while somebody follows it. */
export function createRunListener({ history, kept, counts, trace, log, events, spans }: RunFollowers): RunListener {
  return {
    started(run, exchange) {
      history.started(run, exchange);
      kept.started(run, exchange);
      trace.runStarted(exchange);
    },
    ended(run, exchange) {
      history.ended(run, exchange);
      kept.ended(run, exchange);
      counts.ended(run);
      spans?.runEnded(run);
      trace.runEnded(run, exchange);
      const { failure } = run;
      // A child's failure is its caller's to handle; only what leaves the outermost route unhandled is news.
      if (failure === undefined || run.parent !== undefined) return;
      events.emit(
        {
          name: `run.${run.status}`,
          flowId: run.route.flowId,
          routeId: run.route.id,
          details: { runId: run.id, stepId: failure.stepId ?? null, error: { type: failure.type, message: maskUris(failure.message) } },
        },
        exchange,
      );
      log.write(
        "ERROR",
        run.route.id,
        `route '${run.route.id}' failed at step '${failure.stepId ?? "none"}': ${failure.message}`,
        exchange,
        failure.code === "unexpected" ? { error: failure.cause } : undefined,
      );
    },
    retrying(_run, exchange, error, delayMs) {
      trace.retrying(exchange, error, delayMs);
    },
    routeChanged(route) {
      trace.routeChanged(route);
      events.emit({ name: `route.${route.status.toLowerCase()}`, flowId: route.identity.flowId, routeId: route.identity.id });
    },
  };
}
