import type { SluiceEvents } from "@sluice/connectors";
import type { Log, Route, RunListener } from "@sluice/engine";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { RunCounts, SourceCounts } from "../metrics/run-counts.ts";
import type { SpanExport } from "../metrics/span-export.ts";
import type { ReplayStore } from "../replay/replay-store.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import type { RunHistory } from "./run-history.ts";

export interface RunObservers {
  readonly history: RunHistory;
  readonly replayStore: ReplayStore;
  readonly counts: RunCounts;
  readonly trace: TraceRecorder;
  readonly log: Log;
  readonly events: SluiceEvents;
  readonly secrets: SecretValues;
  /** Undefined unless a collector is configured. */
  readonly spans: SpanExport | undefined;
}

/** Distributes run events to history, replay data, counts, spans, trace and log. */
export function createRunListener({ history, replayStore, counts, trace, log, events, secrets, spans }: RunObservers): RunListener {
  /** Counted for every message, so the counts are found with one lookup. */
  const sourceCounts = new WeakMap<Route, SourceCounts>();
  const sourceCountsOf = (route: Route): SourceCounts => {
    let found = sourceCounts.get(route);
    if (found === undefined) sourceCounts.set(route, (found = counts.sourceCounts(/^[^:?]*/.exec(route.from)?.[0] ?? "")));
    return found;
  };
  return {
    started(run, exchange) {
      history.started(run, exchange);
      replayStore.started(run, exchange);
      trace.runStarted(exchange);
    },
    ended(run, exchange) {
      history.ended(run, exchange);
      replayStore.ended(run, exchange);
      counts.ended(run);
      spans?.runEnded(run);
      trace.runEnded(run, exchange);
      const { failure } = run;
      // A child's failure is handled by its caller; only unhandled failures of the outermost route are reported.
      if (failure === undefined || run.parent !== undefined) return;
      events.emit(
        {
          name: `run.${run.status}`,
          flowId: run.route.flowId,
          routeId: run.route.id,
          details: { runId: run.id, stepId: failure.stepId ?? null, error: { type: failure.type, message: secrets.scrub(maskUris(failure.message)) } },
        },
        exchange,
      );
      log.write(
        "ERROR",
        run.route.id,
        `Route '${run.route.id}' failed${failure.stepId === undefined ? "" : ` at step '${failure.stepId}'`}: ${failure.message} (details: sluice runs ${run.root.id})`,
        exchange,
        failure.code === "unexpected" ? { error: failure.cause } : undefined,
      );
    },
    sourceEvent: (route, event) => void sourceCountsOf(route)[event]++,
    retrying(_run, exchange, error, delayMs) {
      trace.retrying(exchange, error, delayMs);
    },
    routeChanged(route) {
      trace.routeChanged(route);
      events.emit({ name: `route.${route.status.toLowerCase()}`, flowId: route.identity.flowId, routeId: route.identity.id });
    },
  };
}
