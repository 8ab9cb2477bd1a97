// Tells the supervisor which runs are under way, so that they can be accounted for when this process dies. Only runs that last:
// a run that begins and ends between two looks costs an entry in a set and no message.
import type { Run, RunListener } from "@sluice/engine";
import type { UnderWayNews } from "./messages.ts";

/** Enough of a run to show it after its process is gone. */
export interface RunIdentity {
  readonly id: string;
  readonly route: Run["route"];
  readonly exchangeId: string;
  readonly trigger: Run["trigger"];
  readonly startedAt: number;
  /** The run that called it. */
  readonly parentRunId: string | undefined;
  readonly traceId: string | undefined;
}

/** Runs that are still there at the second look are told of, so the youngest known is this old. */
const lookEveryMs = 50;

export class UnderWay {
  readonly #runs = new Map<Run, string>();
  readonly #seen = new Set<Run>();
  readonly #told = new Map<Run, string>();
  readonly #timer: NodeJS.Timeout;
  readonly #tell: (news: UnderWayNews) => void;

  constructor(tell: (news: UnderWayNews) => void) {
    this.#tell = tell;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
    this.#timer.unref();
  }

  /** The listener, with the runs noted on the way. */
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
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const began: RunIdentity[] = [];
    const ended: string[] = [];
    for (const [run, id] of this.#told) {
      if (this.#runs.has(run)) continue;
      this.#told.delete(run);
      ended.push(id);
    }
    for (const run of this.#seen) if (!this.#runs.has(run)) this.#seen.delete(run);
    for (const [run, exchangeId] of this.#runs) {
      if (this.#told.has(run)) continue;
      if (!this.#seen.delete(run)) {
        this.#seen.add(run);
        continue;
      }
      this.#told.set(run, run.id);
      const { id, route, trigger, startedAt, parent, trace } = run;
      began.push({ id, route, exchangeId, trigger, startedAt, parentRunId: parent?.id, traceId: trace?.traceId });
    }
    if (began.length > 0 || ended.length > 0) this.#tell({ began, ended });
  }
}
