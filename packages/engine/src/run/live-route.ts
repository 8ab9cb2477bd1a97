// A route in service: lets exchanges in, counts them, settles them, and drains. The way of a message is
// deliver → program → settle; nothing is awaited and no promise made unless a step waits.
import { ending, Exchange } from "../exchange/exchange.ts";
import { toFlowError } from "../errors/flow-error.ts";
import type { Message } from "../exchange/message.ts";
import { Run, type RouteIdentity, type Trigger } from "../exchange/run.ts";
import { note } from "../compile/error-handler.ts";
import { copyEntries } from "../exchange/copy-entries.ts";
import type { Wiring } from "../compile/wiring.ts";
import type { Delivery, Inlet } from "../spi/connector.ts";
import type { Host } from "../spi/host.ts";
import { inTime } from "./in-time.ts";
import { tooDeep, tooManyCopies, tooManyRuns } from "./limit-errors.ts";
import { reportDetached } from "./report-detached.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import { DetachedWork } from "./detached-work.ts";
import { Flights } from "./flights.ts";
import type { RouteProgram } from "./route-program.ts";
import type { Placement, Route, RouteStats, RouteStatus, RunListener, RuntimeLimits, StepPlace } from "./runtime.ts";

export class LiveRoute implements Route, Inlet {
  readonly identity: RouteIdentity;
  readonly wiring: Wiring;
  readonly stats: RouteStats = { inflight: 0, total: 0, failed: 0, lastRunAt: 0, lastError: undefined };
  status: RouteStatus = "Stopped";
  startedAt = 0;
  problem: string | undefined = undefined;
  readonly #host: Host;
  readonly #listener: RunListener;
  readonly #limits: RuntimeLimits;
  readonly #flights: Flights;
  readonly #detached: DetachedWork;
  #program: RouteProgram | undefined = undefined;
  #trigger: Trigger = { uri: "" };
  #servicesUp = false;
  #isLost = false;

  constructor(identity: RouteIdentity, wiring: Wiring, host: Host, listener: RunListener, limits: RuntimeLimits) {
    this.identity = identity;
    this.wiring = wiring;
    this.#host = host;
    this.#listener = listener;
    this.#limits = limits;
    this.#flights = new Flights(host.clock, limits.runMs);
    this.#detached = new DetachedWork(host.clock, limits.inflightPerRoute);
  }

  /** Gives the route its program; done once, before anything starts. */
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

  get steps(): readonly StepPlace[] {
    return this.program.steps;
  }

  get placement(): Placement {
    return this.program.placement;
  }

  get inlet(): Inlet {
    return this;
  }

  /** True while its source is started, also when that cannot reach what it takes from. */
  get takesIn(): boolean {
    return this.status === "Started" || this.#isLost;
  }

  get isStopping(): boolean {
    return this.status === "Stopping" || this.status === "Stopped";
  }

  deliver(message: Message, delivery?: Delivery): Awaitable<Exchange> {
    return this.#deliver(message, delivery, this.program.process);
  }

  enterAt(stepId: string): Inlet | undefined {
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
    if (this.stats.inflight >= this.#limits.inflightPerRoute) return this.#refuse(exchange);
    this.#begin(run, exchange);
    delivery?.started?.(exchange);
    let pending: Awaitable = undefined;
    try {
      pending = this.#pass(exchange, process);
    } catch (thrown) {
      this.#fail(exchange, thrown);
    }
    if (pending !== undefined) return this.#await(run, exchange, pending, delivery);
    return this.#complete(run, exchange, delivery);
  }

  enter(exchange: Exchange, trigger: Trigger): Awaitable {
    const outer = exchange.run;
    if (outer.depth >= this.#limits.callDepth) throw tooDeep(this.identity.id, this.#limits.callDepth);
    const run = new Run(`run_${this.#host.ids.next()}`, this.identity, this.#host.clock.now(), trigger, outer);
    run.correlationId = outer.correlationId;
    run.trace = outer.trace;
    const at = exchange.at;
    exchange.run = run;
    this.#begin(run, exchange);
    const leave = (thrown?: unknown): void => {
      // Of an exchange that was ended from outside, what it failed of is told already.
      const told = run.isCancelled ? exchange.failure : undefined;
      if (thrown !== undefined) this.#fail(exchange, thrown);
      this.#end(run, exchange);
      exchange.run = outer;
      exchange.at = at;
      if (run.handled) outer.handled = true;
      const failure = exchange.failure;
      exchange.failure = told;
      if (failure !== undefined) throw failure;
    };
    let pending: Awaitable;
    try {
      pending = this.#pass(exchange, this.program.process);
    } catch (thrown) {
      return leave(thrown);
    }
    return pending === undefined
      ? leave()
      : pending.then(
          () => leave(),
          (thrown: unknown) => leave(thrown ?? new Error("rejected without a reason")),
        );
  }

  /** Runs a copy on its own; its failure is a failed run of its own, for nobody waits for it. */
  detach(copy: Exchange, processor: Processor): void {
    const run = copy.run;
    copy.run = run.apart(this.#host.clock.now());
    this.stats.inflight++;
    const done = (thrown?: unknown): void => {
      if (thrown !== undefined) reportDetached(copy, run, thrown, { identity: this.identity, stats: this.stats, host: this.#host, listener: this.#listener });
      this.#afterwards(copy);
      this.#left();
    };
    const failed = (thrown: unknown): void => done(thrown ?? new Error("rejected without a reason"));
    if (this.#detached.isFull) {
      failed(tooManyCopies(this.identity.id));
      return;
    }
    const flight = this.#flights.add(copy, failed);
    const landed = (): void => flight.land(() => done());
    const crashed = (thrown: unknown): void => flight.land(() => failed(thrown));
    this.#detached.add({
      copy,
      run: () => {
        try {
          return processor(copy)?.then(landed, crashed) ?? landed();
        } catch (thrown) {
          return crashed(thrown);
        }
      },
    });
  }

  lost(problem: string | undefined): void {
    if (!this.takesIn) return;
    this.#isLost = problem !== undefined;
    this.problem = problem;
    this.#become(this.#isLost ? "Failed" : "Started");
  }

  async start(): Promise<void> {
    if (this.status === "Started" || this.status === "Starting") return;
    this.#isLost = false;
    this.#become("Starting");
    try {
      await this.startServices();
      await this.program.source.start(this);
    } catch (thrown) {
      this.problem = toFlowError(thrown).message;
      this.#become("Failed");
      throw thrown;
    }
    this.problem = undefined;
    this.startedAt = this.#host.clock.now();
    this.#become("Started");
  }

  async stop(): Promise<void> {
    const until = this.drainLimit();
    await this.halt(until);
    await this.drain(until);
    await this.stopServices(until);
  }

  /** When a drain that begins now must be over, on the monotonic clock. */
  drainLimit(): number {
    return this.#host.clock.monotonic() + this.#limits.drainMs;
  }

  async suspend(): Promise<void> {
    if (!this.takesIn) return;
    this.#isLost = false;
    this.problem = undefined;
    await this.#stopSource(this.drainLimit());
    this.#become("Suspended");
  }

  async resume(): Promise<void> {
    if (this.status === "Stopped" || this.status === "Failed") return this.start();
    if (this.status !== "Suspended") return;
    await this.program.source.start(this);
    this.#become("Started");
  }

  /** Starts what the steps need: sinks, timers of aggregators. */
  async startServices(): Promise<void> {
    if (this.#servicesUp) return;
    this.#servicesUp = true;
    for (const lifecycle of this.program.lifecycles) await lifecycle.start?.();
  }

  /** Stops them in turn; what one of them sends off in stopping (a last group) is waited for while the next still works. */
  async stopServices(until: number): Promise<void> {
    if (!this.#servicesUp) return;
    this.#servicesUp = false;
    for (const lifecycle of this.program.lifecycles.toReversed()) {
      await inTime(async () => lifecycle.stop?.(), until, this.#host.clock);
      if (this.stats.inflight > 0) await this.#flights.drain(() => this.stats.inflight, until);
    }
  }

  /** Takes in no more; false when the source was still busy at the limit. */
  async halt(until: number): Promise<boolean> {
    if (this.status === "Stopped" || this.status === "Stopping") return true;
    const intake = this.takesIn || this.status === "Starting";
    this.#isLost = false;
    this.#become("Stopping");
    return !intake || this.#stopSource(until);
  }

  async #stopSource(until: number): Promise<boolean> {
    const stopped = await inTime(async () => this.program.source.stop(), until, this.#host.clock);
    if (stopped) return true;
    const left = this.program.source.abandon?.() ?? 0;
    const what = left === 0 ? "what is left there is abandoned" : `${left} messages are abandoned`;
    this.#host.log.write("ERROR", this.identity.id, `'${this.from}' still had work to hand over at the drain limit: ${what}`);
    return false;
  }

  /** Waits for what is in flight; at the limit the rest is cancelled and named. */
  async drain(until: number): Promise<readonly { routeId: string; stepId: string | undefined; runId: string }[]> {
    const abandoned = await this.#flights.drain(() => this.stats.inflight, until);
    this.#become("Stopped");
    return abandoned.map(({ exchange }) => ({ routeId: this.identity.id, stepId: exchange.at?.id, runId: exchange.run.id }));
  }

  #become(status: RouteStatus): void {
    if (this.status === status) return;
    this.status = status;
    this.#listener.routeChanged(this);
  }

  #begin(run: Run, exchange: Exchange): void {
    this.stats.inflight++;
    this.stats.total++;
    this.#listener.started(run, exchange);
  }

  #pass(exchange: Exchange, process: Processor): Awaitable {
    const { program } = this;
    if (program.keepOriginal) exchange.original ??= exchange.message.copy();
    if (program.afterReply.length > 0) (exchange.completions ??= []).push(...program.afterReply);
    if (program.beforeReply.length === 0) return process(exchange);
    return this.#passWithCompletions(exchange, program, process);
  }

  async #passWithCompletions(exchange: Exchange, program: RouteProgram, process: Processor): Promise<void> {
    let thrown: unknown;
    try {
      await process(exchange);
    } catch (caught) {
      thrown = caught ?? new Error("rejected without a reason");
      exchange.failure = note(exchange, thrown);
    }
    const ended = exchange.ending;
    exchange.ending = ending.none;
    for (const completion of program.beforeReply) await completion(exchange);
    exchange.ending = ended;
    exchange.failure = undefined;
    if (thrown !== undefined) throw thrown;
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    const error = note(exchange, thrown);
    // Without an error handler the caller's handler may still try; otherwise this route has done all there is to do.
    if (this.program.plan.kind !== "none") error.exhausted = true;
    exchange.failure = error;
  }

  /** The promise of an exchange whose route waits; resolves even when a step never does, once the run is cancelled. */
  #await(run: Run, exchange: Exchange, pending: Promise<void>, delivery: Delivery | undefined): Promise<Exchange> {
    return new Promise((resolve) => {
      const finish = (thrown?: unknown): void => {
        if (thrown !== undefined) this.#fail(exchange, thrown);
        resolve(this.#complete(run, exchange, delivery));
      };
      const flight = this.#flights.add(exchange, finish);
      pending.then(
        () => flight.land(() => finish()),
        (thrown: unknown) => flight.land(() => finish(thrown ?? new Error("rejected without a reason"))),
      );
    });
  }

  #complete(run: Run, exchange: Exchange, delivery: Delivery | undefined): Exchange {
    delivery?.settled?.(exchange);
    this.#end(run, exchange);
    if (exchange.completions !== undefined) this.#afterwards(exchange);
    return exchange;
  }

  #afterwards(exchange: Exchange): void {
    const { completions } = exchange;
    if (completions === undefined) return;
    exchange.completions = undefined;
    for (const completion of completions.toReversed()) void completion(exchange);
  }

  #end(run: Run, exchange: Exchange): void {
    const { stats } = this;
    // One that is ended from outside may be on its way through another route, and that one ends later.
    exchange.run = run;
    stats.lastRunAt = run.endedAt = this.#host.clock.now();
    if (exchange.failure !== undefined) {
      run.failure = exchange.failure;
      // What was dealt with before is not what it failed of.
      run.handled = false;
      if (run.status !== "cancelled") run.status = "failed";
      stats.failed++;
      stats.lastError = exchange.failure.message;
    } else if (run.status === "running" || run.status === "retrying") {
      run.status = exchange.isPassedOver ? "discarded" : "completed";
    }
    this.#listener.ended(run, exchange);
    this.#left();
  }

  #left(): void {
    if (--this.stats.inflight === 0) this.#flights.idle();
  }

  #refuse(exchange: Exchange): Exchange {
    const { run } = exchange;
    exchange.failure = tooManyRuns(this.identity.id, this.#limits.inflightPerRoute);
    run.status = "failed";
    run.failure = exchange.failure;
    run.endedAt = run.startedAt;
    this.stats.total++;
    this.stats.failed++;
    return exchange;
  }
}
