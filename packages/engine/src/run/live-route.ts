// A deployed route: accepts exchanges, counts and settles them, and drains. The path of a message is deliver → program → settle; no promise is
// created unless a step waits.
import { ending, Exchange } from "../exchange/exchange.ts";
import { toFlowError } from "../errors/flow-error.ts";
import type { Message } from "../exchange/message.ts";
import { Run, type RouteIdentity, type Trigger } from "../exchange/run.ts";
import { recordFailure } from "../compile/error-handler.ts";
import { copyEntries } from "../exchange/copy-entries.ts";
import { endExchange } from "../exchange/exchange-end.ts";
import type { Wiring } from "../compile/wiring.ts";
import type { Delivery, RouteInput, SourceEvent, SourceInput } from "../spi/connector.ts";
import type { TriggerKind, WebhookOperation } from "@sluice/model";
import type { Host } from "../spi/host.ts";
import { registerCompletions } from "./register-completions.ts";
import { callDepthError, detachedLimitError, inflightLimitError } from "./limit-errors.ts";
import { reportDetached } from "./report-detached.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import { DetachedWork } from "./detached-work.ts";
import { InFlight } from "./in-flight.ts";
import { RouteLifecycle } from "./route-lifecycle.ts";
import type { RouteProgram } from "./route-program.ts";
import type { Placement, RouteStep } from "../compile/placement.ts";
import type { RuntimeLimits } from "../compile/runtime-limits.ts";
import type { Route, RouteGate, RouteStats, RouteStatus, RunListener } from "./runtime.ts";

interface LiveRouteParts {
  readonly host: Host;
  readonly listener: RunListener;
  readonly limits: RuntimeLimits;
  readonly gate: RouteGate | undefined;
}

const undefinedThrownError = (): Error => new Error("a step threw undefined, or rejected with it, instead of an error");

export class LiveRoute implements Route, SourceInput {
  readonly identity: RouteIdentity;
  readonly wiring: Wiring;
  readonly stats: RouteStats = { inflight: 0, total: 0, failed: 0, lastRunAt: 0, lastError: undefined };
  readonly lifecycle: RouteLifecycle;
  readonly claimTick: SourceInput["claimTick"];
  readonly #host: Host;
  readonly #listener: RunListener;
  readonly #limits: RuntimeLimits;
  readonly #inFlight: InFlight;
  readonly #detached: DetachedWork;
  #program: RouteProgram | undefined = undefined;
  #trigger: Trigger = { uri: "" };

  constructor(identity: RouteIdentity, wiring: Wiring, { host, listener, limits, gate }: LiveRouteParts) {
    this.identity = identity;
    this.claimTick = gate === undefined ? undefined : (tick, isPermanent = false) => gate.claimTick(identity, tick, isPermanent);
    this.wiring = wiring;
    this.#host = host;
    this.#listener = listener;
    this.#limits = limits;
    this.#inFlight = new InFlight(host.clock, limits.runMs);
    this.#detached = new DetachedWork(host.clock, limits.inflightPerRoute);
    this.lifecycle = new RouteLifecycle({
      identity,
      host,
      routeInput: this,
      drainMs: limits.drainMs,
      program: () => this.program,
      isHeld: () => gate === undefined || gate.isHeld(this),
      waitUntilIdle: (until) => this.#inFlight.drain(() => this.stats.inflight, until),
      changed: () => listener.routeChanged(this),
    });
  }

  /** Sets the route's program; called once, before anything starts. */
  install(program: RouteProgram): void {
    this.#program = program;
    this.#trigger = { uri: program.from };
  }

  get program(): RouteProgram {
    if (this.#program === undefined) throw new Error(`route '${this.identity.id}' was never compiled`);
    return this.#program;
  }

  get route(): RouteIdentity {
    return this.identity;
  }

  get from(): string {
    return this.program.from;
  }

  get trigger(): TriggerKind | undefined {
    return this.program.trigger;
  }

  get operations(): readonly WebhookOperation[] {
    return this.program.source.operations ?? [];
  }

  get steps(): readonly RouteStep[] {
    return this.program.steps;
  }

  get placement(): Placement {
    return this.program.placement;
  }

  get routeInput(): RouteInput {
    return this;
  }

  get status(): RouteStatus {
    return this.lifecycle.status;
  }

  get startedAt(): number {
    return this.lifecycle.startedAt;
  }

  get problem(): string | undefined {
    return this.lifecycle.problem;
  }

  get isStopping(): boolean {
    return this.status === "Stopping" || this.status === "Stopped";
  }

  deliver(message: Message, delivery?: Delivery): Awaitable<Exchange> {
    return this.#deliver(message, delivery, this.program.process);
  }

  enterAt(stepId: string): RouteInput | undefined {
    const process = this.program.processFrom(stepId);
    if (process === undefined) return undefined;
    return {
      route: this.identity,
      deliver: (message, delivery) => this.#deliver(message, delivery, process),
      enter: (exchange, trigger) => this.enter(exchange, trigger),
    };
  }

  #deliver(message: Message, delivery: Delivery | undefined, process: Processor): Awaitable<Exchange> {
    const now = this.#host.clock.now();
    const id = this.#host.ids.next(now);
    const run = new Run(`run_${id}`, this.identity, now, delivery?.trigger ?? this.#trigger, undefined, delivery?.session);
    run.nestedLimit = this.#limits.exchanges;
    const exchange = new Exchange(id, run, delivery?.pattern ?? "InOut", message);
    if (delivery !== undefined) {
      run.correlationId = delivery.correlationId;
      run.trace = delivery.trace;
      if (delivery.properties !== undefined) exchange.properties = delivery.properties;
      if (delivery.variables !== undefined) exchange.variables = copyEntries(delivery.variables);
    }
    if (this.stats.inflight >= this.#limits.inflightPerRoute) return this.#reject(exchange);
    this.#begin(run, exchange);
    delivery?.started?.(exchange);
    let pending: Awaitable = undefined;
    try {
      pending = this.#runProgram(exchange, process);
    } catch (error) {
      this.#fail(exchange, error);
    }
    if (pending !== undefined) return this.#await(run, exchange, pending, delivery);
    return this.#complete(run, exchange, delivery);
  }

  enter(exchange: Exchange, trigger: Trigger): Awaitable {
    const outer = exchange.run;
    if (outer.depth >= this.#limits.callDepth) throw callDepthError(this.identity.id, this.#limits.callDepth);
    const run = new Run(`run_${this.#host.ids.next()}`, this.identity, this.#host.clock.now(), trigger, outer);
    run.correlationId = outer.correlationId;
    run.trace = outer.trace;
    const at = exchange.at;
    exchange.run = run;
    this.#begin(run, exchange);
    const leave = (error?: unknown): void => {
      // Cancelled externally: its failure was already reported.
      const reported = run.isCancelled ? exchange.failure : undefined;
      if (error !== undefined) this.#fail(exchange, error);
      this.#end(run, exchange);
      this.#decrementInflight();
      exchange.run = outer;
      exchange.at = at;
      if (run.handled) outer.handled = true;
      const failure = exchange.failure;
      exchange.failure = reported;
      if (failure !== undefined) throw failure;
    };
    let pending: Awaitable;
    try {
      pending = this.#runProgram(exchange, this.program.process);
    } catch (error) {
      return leave(error);
    }
    return pending === undefined
      ? leave()
      : pending.then(
          () => leave(),
          (error: unknown) => leave(error ?? undefinedThrownError()),
        );
  }

  restore(message: Message): Exchange {
    const now = this.#host.clock.now();
    const id = this.#host.ids.next(now);
    const run = new Run(`run_${id}`, this.identity, now, this.#trigger);
    run.nestedLimit = this.#limits.exchanges;
    return new Exchange(id, run, "InOnly", message);
  }

  /** Runs a detached copy; its failure is reported as a separate failed run, because no caller waits for it. */
  detach(copy: Exchange, processor: Processor): void {
    const run = copy.run;
    copy.run = run.detached(this.#host.clock.now());
    this.stats.inflight++;
    const done = (error?: unknown): void => {
      if (error !== undefined) reportDetached(copy, run, error, { identity: this.identity, stats: this.stats, host: this.#host, listener: this.#listener });
      void this.#settle(copy);
    };
    const failed = (error: unknown): void => done(error ?? undefinedThrownError());
    if (this.#detached.isFull) {
      failed(detachedLimitError(this.identity.id));
      return;
    }
    const entry = this.#inFlight.add(copy, failed);
    const completed = (): void => entry.complete(() => done());
    const crashed = (error: unknown): void => entry.complete(() => failed(error));
    this.#detached.add({
      copy,
      run: () => {
        try {
          return processor(copy)?.then(completed, crashed) ?? completed();
        } catch (error) {
          return crashed(error);
        }
      },
    });
  }

  lost(problem: string | undefined): void {
    this.lifecycle.lost(problem);
  }

  count(event: SourceEvent): void {
    this.#listener.sourceEvent?.(this, event);
  }

  start(): Promise<void> {
    return this.lifecycle.start();
  }

  async stop(): Promise<void> {
    const until = this.#host.clock.monotonic() + this.#limits.drainMs;
    await this.lifecycle.halt(until);
    await this.drain(until);
    await this.lifecycle.stopServices(until);
  }

  suspend(): Promise<void> {
    return this.lifecycle.suspend();
  }

  resume(): Promise<void> {
    return this.lifecycle.resume();
  }

  /** Waits for exchanges in flight; at the deadline the rest is cancelled and listed. */
  async drain(until: number): Promise<readonly { routeId: string; stepId: string | undefined; runId: string }[]> {
    const abandoned = await this.#inFlight.drain(() => this.stats.inflight, until);
    this.lifecycle.stopped();
    return abandoned.map(({ exchange }) => ({ routeId: this.identity.id, stepId: exchange.at?.id, runId: exchange.run.id }));
  }

  #begin(run: Run, exchange: Exchange): void {
    this.stats.inflight++;
    this.stats.total++;
    this.#listener.started(run, exchange);
  }

  #runProgram(exchange: Exchange, process: Processor): Awaitable {
    const { program } = this;
    if (program.keepOriginal) exchange.original ??= exchange.message.copy();
    if (program.afterReply.length > 0) registerCompletions(exchange, program.afterReply);
    if (program.beforeReply.length === 0) return process(exchange);
    return this.#runWithCompletions(exchange, program, process);
  }

  async #runWithCompletions(exchange: Exchange, program: RouteProgram, process: Processor): Promise<void> {
    let error: unknown;
    try {
      await process(exchange);
    } catch (caught) {
      error = caught ?? undefinedThrownError();
      exchange.failure = recordFailure(exchange, error);
    }
    const ended = exchange.ending;
    exchange.ending = ending.none;
    for (const completion of program.beforeReply) await completion(exchange);
    exchange.ending = ended;
    exchange.failure = undefined;
    if (error !== undefined) throw error;
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    const error = recordFailure(exchange, thrown);
    // Without an error handler, the caller's handler may still process it; otherwise it is exhausted.
    if (this.program.plan.kind !== "none") error.exhausted = true;
    exchange.failure = error;
  }

  /** The promise of an asynchronous exchange; once the run is cancelled it resolves even if a step never does. */
  #await(run: Run, exchange: Exchange, pending: Promise<void>, delivery: Delivery | undefined): Promise<Exchange> {
    return new Promise((resolve) => {
      const finish = (error?: unknown): void => {
        if (error !== undefined) this.#fail(exchange, error);
        resolve(this.#complete(run, exchange, delivery));
      };
      const entry = this.#inFlight.add(exchange, finish);
      const completed = (): void => entry.complete(() => finish());
      const failed = (error: unknown): void => entry.complete(() => finish(error ?? undefinedThrownError()));
      const prepared = delivery?.completing === undefined ? pending : pending.then(() => delivery.completing?.(exchange));
      prepared.then(completed, failed);
    });
  }

  #complete(run: Run, exchange: Exchange, delivery: Delivery | undefined): Awaitable<Exchange> {
    delivery?.ended?.(exchange);
    this.#end(run, exchange);
    return this.#settle(exchange);
  }

  #settle(exchange: Exchange): Awaitable<Exchange> {
    if (exchange.completions !== undefined) return this.#settleCompletions(exchange);
    this.#decrementInflight();
    return exchange;
  }

  /**
   * Runs the completion callbacks; the exchange stays in flight until they finish, and their failure fails the message. Separate from
   * `#settle`, because a function with closures over its parameters allocates at every call.
   */
  #settleCompletions(exchange: Exchange): Awaitable<Exchange> {
    const failed = (thrown: unknown): void => {
      const error = toFlowError(thrown);
      this.#host.log.write("ERROR", this.identity.id, `A completion callback of a step failed: ${error.message}`, exchange);
      exchange.failure ??= error;
    };
    const pending = endExchange(exchange, failed);
    if (pending === undefined) {
      this.#decrementInflight();
      return exchange;
    }
    return new Promise((resolve) => {
      const finish = (): void => {
        this.#decrementInflight();
        resolve(exchange);
      };
      const entry = this.#inFlight.add(exchange, (reason) => {
        failed(reason);
        finish();
      });
      void pending.then(() => entry.complete(finish));
    });
  }

  #end(run: Run, exchange: Exchange): void {
    const { stats } = this;
    // A cancelled exchange may still be running in another route, which ends later.
    exchange.run = run;
    stats.lastRunAt = run.endedAt = this.#host.clock.now();
    if (exchange.failure !== undefined) {
      run.failure = exchange.failure;
      // The run failed with a different error than the one handled before.
      run.handled = false;
      if (run.status !== "cancelled") run.status = "failed";
      stats.failed++;
      stats.lastError = exchange.failure.message;
    } else if (run.status === "running" || run.status === "retrying") {
      run.status = exchange.isDiscarded ? "discarded" : "completed";
    }
    this.#listener.ended(run, exchange);
  }

  #decrementInflight(): void {
    if (--this.stats.inflight === 0) this.#inFlight.notifyIdle();
  }

  #reject(exchange: Exchange): Exchange {
    const { run } = exchange;
    exchange.failure = inflightLimitError(this.identity.id, this.#limits.inflightPerRoute);
    run.status = "failed";
    run.failure = exchange.failure;
    run.endedAt = run.startedAt;
    this.stats.total++;
    this.stats.failed++;
    return exchange;
  }
}
