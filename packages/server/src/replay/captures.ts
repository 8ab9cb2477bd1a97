// Message capture: while enabled for a route, the message before each step is stored, with limits on bytes and time. The original
// message is stored for replay; secrets are masked on display.
import { storedSize, storeMessage, type StoredMessage } from "@sluice/connectors";
import type { Clock, Exchange, Runtime, Tap } from "@sluice/engine";

const maxMessageBytes = 256 * 1_024;
const defaultMaxBytes = 8 * 1_024 * 1_024;
const maxRuns = 10_000;

interface CapturedStep {
  readonly stepId: string;
  readonly message: StoredMessage;
}

export interface CapturedRun {
  readonly steps: readonly CapturedStep[];
  /** Some messages were too large or exceeded the limit. */
  readonly truncated: boolean;
}

export interface CaptureState {
  readonly routeId: string;
  readonly until: number;
  readonly maxBytes: number;
  bytes: number;
  /** True after a message did not fit into `maxBytes`; no more messages are stored then. */
  isFull: boolean;
}

interface Collected {
  readonly routeId: string;
  readonly steps: Map<string, StoredMessage>;
  truncated: boolean;
  bytes: number;
}

export class Captures {
  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #active = new Map<string, { readonly state: CaptureState; readonly end: () => void }>();
  readonly #runs = new Map<string, Collected>();
  #bytes = 0;

  constructor(runtime: Runtime, clock: Clock, maxBytes: number) {
    this.#runtime = runtime;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** Starts a capture; replaces an earlier one of the route. */
  start(routeId: string, forMs: number, maxBytes = defaultMaxBytes): CaptureState {
    this.stop(routeId);
    const state: CaptureState = { routeId, until: this.#clock.now() + forMs, maxBytes: Math.min(maxBytes, this.#maxBytes), bytes: 0, isFull: false };
    const untap = this.#runtime.tap(this.#tap(state));
    const cancel = this.#clock.after(forMs, () => this.stop(routeId));
    this.#active.set(routeId, {
      state,
      end: () => {
        cancel();
        untap();
      },
    });
    return state;
  }

  /** Captured messages stay until they are evicted. */
  stop(routeId: string): CaptureState | undefined {
    const active = this.#active.get(routeId);
    active?.end();
    this.#active.delete(routeId);
    return active?.state;
  }

  state(routeId: string): CaptureState | undefined {
    return this.#active.get(routeId)?.state;
  }

  get isActive(): boolean {
    return this.#active.size > 0;
  }

  of(runId: string): CapturedRun | undefined {
    const run = this.#runs.get(runId);
    return run === undefined ? undefined : { steps: [...run.steps].map(([stepId, message]) => ({ stepId, message })), truncated: run.truncated };
  }

  closeAll(): void {
    for (const routeId of [...this.#active.keys()]) this.stop(routeId);
  }

  #tap(state: CaptureState): Tap {
    return {
      layer: 25,
      covers: ({ id }) => id === state.routeId,
      step:
        (next, { id }) =>
        (exchange) => {
          this.#capture(exchange, id, state);
          return next(exchange);
        },
    };
  }

  /** If a step runs several times in one run (loop, split, redelivery), the first time is captured. */
  #capture(exchange: Exchange, stepId: string, state: CaptureState): void {
    const { run } = exchange;
    let collected = this.#runs.get(run.id);
    // A full capture adds no more runs: complete runs are more useful than many truncated ones.
    if (collected === undefined && state.isFull) return;
    if (collected === undefined) this.#runs.set(run.id, (collected = { routeId: state.routeId, steps: new Map(), truncated: false, bytes: 0 }));
    if (collected.steps.has(stepId)) return;
    const message = this.#toStored(exchange);
    const size = message === undefined ? 0 : storedSize(message) + 100;
    state.isFull ||= state.bytes + size > state.maxBytes;
    if (message === undefined || state.isFull) collected.truncated = true;
    else {
      collected.steps.set(stepId, message);
      collected.bytes += size;
      state.bytes += size;
      this.#bytes += size;
    }
    this.#shrink(run.id);
  }

  #toStored({ message, properties }: Exchange): StoredMessage | undefined {
    try {
      return storeMessage(message, { properties }, maxMessageBytes);
    } catch {
      return undefined;
    }
  }

  #shrink(current: string): void {
    for (const [id, { bytes }] of this.#runs) {
      if (this.#bytes <= this.#maxBytes && this.#runs.size <= maxRuns) return;
      if (id === current) continue;
      this.#runs.delete(id);
      this.#bytes -= bytes;
    }
  }
}
