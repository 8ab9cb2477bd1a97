// The breakpoints of one client. The first message that reaches one of them is held before the step; all other messages pass. Steps are wrapped only
// while the session is open. Every wait is limited: a held message continues unchanged when the client is gone, when it has been held too
// long, or when its route is replaced or stopped.
import { FlowError, type Clock, type Exchange, type Expression, type Log, type Processor, type Run, type Runtime, type Tap } from "@sluice/engine";
import { cancelledError } from "@sluice/engine/tools";
import type { StepNode } from "@sluice/model";
import type { SecretValues } from "../masking/secret-values.ts";
import { Refusal } from "../refusal.ts";
import { changeMessage, showMessage, type MessageChange, type ShownMessage } from "./held-message.ts";

export interface Breakpoint {
  readonly routeId: string;
  readonly stepId: string;
  /** A Simple predicate; undefined holds any message. */
  readonly when?: string | undefined;
  /** Messages to let pass before one is held. */
  readonly skip?: number | undefined;
}

export interface BreakpointLimits {
  /** Without a call of the client for this long, the session ends. */
  readonly leaseMs: number;
  /** How long a message is held at most. */
  readonly holdMs: number;
  /** Time limit of a run, including the time it is held. */
  readonly runMs: number;
}

export interface BreakpointParts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretValues;
  compilePredicate(text: string): Expression<boolean>;
}

export type BreakpointState = "armed" | "held" | "running" | "ended";

interface Armed extends Breakpoint {
  readonly matches: Expression<boolean>;
  hits: number;
}

interface Held {
  readonly exchange: Exchange;
  readonly node: StepNode;
  readonly since: number;
  readonly until: number;
  readonly shown: ShownMessage;
  release(): void;
  fail(error: FlowError): void;
}

/** Outermost, so that the time a message is held is not counted as the step's duration, and traces show the changed message. */
const layer = 40;
const checkMs = 250;
/** A run that reaches its time limit while held would fail, so it continues shortly before. */
const beforeRunLimitMs = 2_000;

export class BreakpointSession {
  readonly id: string;
  readonly flowId: string;
  readonly #parts: BreakpointParts;
  readonly #limits: BreakpointLimits;
  readonly #armed: readonly Armed[];
  readonly #expiresAt: number;
  #leaseUntil = 0;
  #run: Run | undefined = undefined;
  #held: Held | undefined = undefined;
  #isStepping = false;
  #endReason: string | undefined = undefined;
  #untap: (() => void) | undefined = undefined;
  #cancelCheck: () => void = () => undefined;

  constructor(id: string, flowId: string, breakpoints: readonly Breakpoint[], ttlMs: number, parts: BreakpointParts, limits: BreakpointLimits) {
    this.id = id;
    this.flowId = flowId;
    this.#parts = parts;
    this.#limits = limits;
    this.#armed = breakpoints.map((breakpoint) => ({
      ...breakpoint,
      matches: breakpoint.when === undefined ? () => true : parts.compilePredicate(breakpoint.when),
      hits: 0,
    }));
    this.#expiresAt = parts.clock.now() + ttlMs;
    this.renew();
    this.#attach();
    this.#checkLater();
    this.#log(`Breakpoints set at ${breakpoints.map(({ routeId, stepId }) => `'${routeId}/${stepId}'`).join(", ")}`);
  }

  get state(): BreakpointState {
    if (this.#endReason !== undefined) return "ended";
    return this.#held === undefined ? (this.#run === undefined ? "armed" : "running") : "held";
  }

  /** True once the client had time to read why the session ended. */
  get isForgettable(): boolean {
    return this.#endReason !== undefined && this.#parts.clock.now() > this.#leaseUntil;
  }

  /** True for routes whose messages must all pass through this process. */
  covers(routeId: string): boolean {
    return this.#endReason === undefined && this.#parts.runtime.routes.get(routeId)?.identity.flowId === this.flowId;
  }

  renew(): void {
    this.#leaseUntil = this.#parts.clock.now() + this.#limits.leaseMs;
  }

  /** Lets the held message continue; with `toNextStep` it is held again before its next step. */
  proceed(change: MessageChange, toNextStep: boolean): void {
    const held = this.#current();
    const changed = changeMessage(held.exchange.message, held.shown, change);
    this.#setStepping(toNextStep);
    this.#log(`Message continues at step '${held.node.id}'${changed.length === 0 ? "" : ` with changed ${changed.join(", ")}`}`, held.exchange);
    held.release();
  }

  /** Cancels the run of the held message. */
  abort(): void {
    const { exchange, node, fail } = this.#current();
    const error = new FlowError("java.util.concurrent.CancellationException", `the run was stopped at the breakpoint '${node.id}'`, { code: "run-cancelled" });
    this.#log(`Message stopped at step '${node.id}'`, exchange);
    exchange.run.cancel(error);
    fail(error);
  }

  end(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.#untap?.();
    this.#cancelCheck();
    this.#log(`Breakpoints removed: ${reason}`);
    this.#held?.release();
  }

  toJson(): Readonly<Record<string, unknown>> {
    const time = (at: number): string => new Date(at).toISOString();
    const held = this.#held;
    return {
      sessionId: this.id,
      flowId: this.flowId,
      state: this.state,
      reason: this.#endReason ?? null,
      expiresAt: time(this.#expiresAt),
      leaseMs: this.#limits.leaseMs,
      breakpoints: this.#armed.map(({ routeId, stepId, when, skip, hits }) => ({ routeId, stepId, when: when ?? null, skip: skip ?? 0, hits })),
      runId: this.#run?.id ?? null,
      held:
        held === undefined
          ? null
          : {
              runId: held.exchange.run.id,
              exchangeId: held.exchange.id,
              routeId: held.exchange.run.route.id,
              stepId: held.node.id,
              since: time(held.since),
              until: time(held.until),
              message: held.shown,
            },
    };
  }

  #current(): Held {
    if (this.#held === undefined) throw new Refusal("conflict", `breakpoint session '${this.id}' holds no message`);
    return this.#held;
  }

  #attach(): void {
    this.#untap?.();
    this.#untap = this.#parts.runtime.tap(this.#tap());
  }

  #setStepping(isStepping: boolean): void {
    if (this.#isStepping === isStepping) return;
    this.#isStepping = isStepping;
    this.#attach();
  }

  #tap(): Tap {
    const wrapsAll = this.#isStepping;
    return {
      layer,
      covers: ({ id, flowId }) => flowId === this.flowId && (wrapsAll || this.#armed.some(({ routeId }) => routeId === id)),
      step: (next, node, route) => {
        const breakpoint = this.#armed.find(({ routeId, stepId }) => routeId === route.id && stepId === node.id);
        return breakpoint === undefined && !wrapsAll ? next : this.#holding(next, node, breakpoint);
      },
    };
  }

  #holding(next: Processor, node: StepNode, breakpoint: Armed | undefined): Processor {
    return (exchange) => {
      if (!this.#isWanted(exchange, breakpoint)) return next(exchange);
      return this.#hold(exchange, node).then(() => next(exchange));
    };
  }

  #isWanted(exchange: Exchange, breakpoint: Armed | undefined): boolean {
    if (this.#held !== undefined || this.#endReason !== undefined) return false;
    if (this.#run !== undefined && exchange.run.root !== this.#run) return false;
    if (this.#isStepping && this.#run !== undefined) return true;
    if (breakpoint === undefined || !isTrueFor(breakpoint, exchange)) return false;
    breakpoint.hits++;
    return breakpoint.hits > (breakpoint.skip ?? 0);
  }

  #hold(exchange: Exchange, node: StepNode): Promise<void> {
    const { clock, secrets } = this.#parts;
    const { signal, root } = exchange.run;
    this.#run = root;
    this.#log(`Message held before step '${node.id}'`, exchange);
    return new Promise((resolve, reject) => {
      const since = clock.now();
      const settle = (settled: () => void): void => {
        signal.removeEventListener("abort", onAbort);
        this.#held = undefined;
        settled();
      };
      const onAbort = (): void => settle(() => reject(cancelledError(signal)));
      this.#held = {
        exchange,
        node,
        since,
        until: Math.max(since, Math.min(since + this.#limits.holdMs, root.startedAt + this.#limits.runMs - beforeRunLimitMs)),
        shown: showMessage(exchange.message, secrets),
        release: () => settle(resolve),
        fail: (error) => settle(() => reject(error)),
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #checkLater(): void {
    this.#cancelCheck = this.#parts.clock.after(checkMs, () => {
      const reason = this.#reasonToEnd();
      if (reason === undefined) this.#checkLater();
      else this.end(reason);
    });
  }

  #reasonToEnd(): string | undefined {
    const { clock, runtime } = this.#parts;
    const now = clock.now();
    if (now > this.#leaseUntil) return "the client stopped asking";
    const run = this.#run;
    if (run !== undefined && run.status !== "running" && run.status !== "retrying") return "the run ended";
    const held = this.#held;
    if (held === undefined) return now > this.#expiresAt && run === undefined ? "no message arrived in time" : undefined;
    if (now > held.until) return "the message was held for the maximum time";
    const route = runtime.routes.get(held.exchange.run.route.id);
    if (route?.identity !== held.exchange.run.route) return "the flow was replaced or removed";
    return route.status === "Stopping" || route.status === "Stopped" ? "the route was stopped" : undefined;
  }

  #log(text: string, exchange?: Exchange): void {
    this.#parts.log.write("INFO", "sluice.breakpoints", text, exchange, { sessionId: this.id, flowId: this.flowId });
  }
}

/** A condition that fails for a message does not hold it: the route must not fail because someone watches it. */
function isTrueFor({ matches }: Armed, exchange: Exchange): boolean {
  try {
    return matches(exchange);
  } catch {
    return false;
  }
}
