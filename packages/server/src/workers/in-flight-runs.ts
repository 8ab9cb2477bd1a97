// Reports in-flight runs to the supervisor, so that they can be accounted for if this process crashes. Short runs that start and end between two
// checks are not reported and cost only a map entry.
import type { Run, RunListener } from "@sluice/engine";
import type { InFlightChanges } from "./messages.ts";
import type { RunIdentity } from "../other-workers/run-identity.ts";

/** A run is reported at the second check after its start. */
const checkEveryMs = 50;

export class InFlightRuns {
  readonly #runs = new Map<Run, string>();
  readonly #seen = new Set<Run>();
  readonly #reported = new Map<Run, string>();
  readonly #timer: NodeJS.Timeout;
  readonly #report: (changes: InFlightChanges) => void;

  constructor(report: (changes: InFlightChanges) => void) {
    this.#report = report;
    this.#timer = setInterval(() => this.#check(), checkEveryMs);
    this.#timer.unref();
  }

  /** Wraps a listener to track runs. */
  listen(listener: RunListener): RunListener {
    return {
      started: (run, exchange) => {
        this.#runs.set(run, exchange.id);
        listener.started(run, exchange);
      },
      ended: (run, exchange) => {
        this.#runs.delete(run);
        listener.ended(run, exchange);
      },
      retrying: (run, exchange, error, delayMs) => listener.retrying(run, exchange, error, delayMs),
      routeChanged: (route) => listener.routeChanged(route),
      sourceEvent: (route, event) => listener.sourceEvent?.(route, event),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const started: RunIdentity[] = [];
    const ended: string[] = [];
    for (const [run, id] of this.#reported) {
      if (this.#runs.has(run)) continue;
      this.#reported.delete(run);
      ended.push(id);
    }
    for (const run of this.#seen) if (!this.#runs.has(run)) this.#seen.delete(run);
    for (const [run, exchangeId] of this.#runs) {
      if (this.#reported.has(run)) continue;
      if (!this.#seen.delete(run)) {
        this.#seen.add(run);
        continue;
      }
      this.#reported.set(run, run.id);
      const { id, route, trigger, startedAt, parent, trace } = run;
      started.push({ id, route, exchangeId, trigger, startedAt, parentRunId: parent?.id, traceId: trace?.traceId, correlationId: run.chainId });
    }
    if (started.length > 0 || ended.length > 0) this.#report({ started, ended });
  }
}
