// The breakpoints of one client. The first message that reaches one of them is held before the step; all other messages pass. Steps are
// wrapped only while the session is open. Every wait is limited: a held message continues unchanged when the client sends no more requests,
// when it has been held too long, or when its route is replaced or stopped.
import { FlowError, type Clock, type Exchange, type Expression, type Log, type Processor, type Run, type Runtime, type Tap } from "@sluice/engine";
import { cancelledError } from "@sluice/engine/tools";
import type { StepNode } from "@sluice/model";
import type { SecretValues } from "../masking/secret-values.ts";
import { ServiceError } from "../service-error.ts";
import { changeMessage, maskMessage, type MessageChange, type MaskedMessage } from "./held-message.ts";

export interface Breakpoint {
  readonly routeId: string;
  readonly stepId: string;
  /** A Simple predicate; undefined holds any message. */
  readonly when?: string | undefined;
  /** Number of matching messages to let pass before one is held. */
  readonly skip?: number | undefined;
}

export interface BreakpointLimits {
  /** The session ends after this long without a request from its client. */
  readonly leaseMs: number;
  /** Maximum time a breakpoint holds a message. */
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

interface ArmedBreakpoint extends Breakpoint {
  readonly matches: Expression<boolean>;
  hits: number;
}

interface HeldMessage {
  readonly exchange: Exchange;
  readonly node: StepNode;
  readonly since: number;
  readonly until: number;
  readonly masked: MaskedMessage;
  release(): void;
  fail(error: FlowError): void;
}

/** The outermost layer, so that the duration of a step does not include the time a message is held, and traces contain the changed message. */
const layer = 40;
const checkMs = 250;
/** A run that reaches its time limit while it is held would fail, so a held message continues this long before the limit. */
const beforeRunLimitMs = 2_000;

export class BreakpointSession {
  readonly id: string;
  readonly flowId: string;
  readonly #parts: BreakpointParts;
  readonly #limits: BreakpointLimits;
  readonly #armed: readonly ArmedBreakpoint[];
  readonly #expiresAt: number;
  #leaseUntil = 0;
  #run: Run | undefined = undefined;
  #held: HeldMessage | undefined = undefined;
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

  /** True when the session ended and the client has had time to read the reason. */
  get isExpired(): boolean {
    return this.#endReason !== undefined && this.#parts.clock.now() > this.#leaseUntil;
  }

  /** True when this process must handle all messages of the route. */
  covers(routeId: string): boolean {
    return this.#endReason === undefined && this.#parts.runtime.routes.get(routeId)?.identity.flowId === this.flowId;
  }

  renew(): void {
    this.#leaseUntil = this.#parts.clock.now() + this.#limits.leaseMs;
  }

  /** Lets the held message continue; with `toNextStep` it is held again before its next step. */
  proceed(change: MessageChange, toNextStep: boolean): void {
    const held = this.#requireHeld();
    const changed = changeMessage(held.exchange.message, held.masked, change);
    this.#setStepping(toNextStep);
    this.#log(`Message continues at step '${held.node.id}'${changed.length === 0 ? "" : ` with changed ${changed.join(", ")}`}`, held.exchange);
    held.release();
  }

  /** Cancels the run of the held message. */
  abort(): void {
    const { exchange, node, fail } = this.#requireHeld();
    const error = new FlowError("java.util.concurrent.CancellationException", `the run was cancelled while its message was held before step '${node.id}'`, {
      code: "run-cancelled",
    });
    this.#log(`Run cancelled before step '${node.id}'`, exchange);
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
              message: held.masked,
            },
    };
  }

  #requireHeld(): HeldMessage {
    if (this.#held === undefined) throw new ServiceError("conflict", `breakpoint session '${this.id}' holds no message`);
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
        return breakpoint === undefined && !wrapsAll ? next : this.#wrap(next, node, breakpoint);
      },
    };
  }

  #wrap(next: Processor, node: StepNode, breakpoint: ArmedBreakpoint | undefined): Processor {
    return (exchange) => {
      if (!this.#shouldHold(exchange, breakpoint)) return next(exchange);
      return this.#hold(exchange, node).then(() => next(exchange));
    };
  }

  #shouldHold(exchange: Exchange, breakpoint: ArmedBreakpoint | undefined): boolean {
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
      const settle = (complete: () => void): void => {
        signal.removeEventListener("abort", onAbort);
        this.#held = undefined;
        complete();
      };
      const onAbort = (): void => settle(() => reject(cancelledError(signal)));
      this.#held = {
        exchange,
        node,
        since,
        until: Math.max(since, Math.min(since + this.#limits.holdMs, root.startedAt + this.#limits.runMs - beforeRunLimitMs)),
        masked: maskMessage(exchange.message, secrets),
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
    if (now > this.#leaseUntil) return "the client sent no request within the lease";
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

/** A condition that throws does not hold the message: a breakpoint must not make a run fail. */
function isTrueFor({ matches }: ArmedBreakpoint, exchange: Exchange): boolean {
  try {
    return matches(exchange);
  } catch {
    return false;
  }
}
