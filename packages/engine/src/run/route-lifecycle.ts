// Starts and stops one route. A start that fails because a system is down is retried until it succeeds or the route is stopped.
import { toFlowError } from "../errors/flow-error.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import { backOffMs } from "../tools/back-off.ts";
import type { SourceInput } from "../spi/connector.ts";
import type { Host } from "../spi/host.ts";
import { completesBefore } from "./completes-before.ts";
import type { RouteProgram } from "./route-program.ts";
import type { InactiveStatus, RouteStatus, Supervision } from "./runtime.ts";

export interface LifecycleParts {
  readonly identity: RouteIdentity;
  readonly host: Host;
  readonly routeInput: SourceInput;
  /** How long a source may take to stop, in milliseconds. */
  readonly drainMs: number;
  program(): RouteProgram;
  /** False while another node of the cluster runs the route's trigger. */
  isHeld(): boolean;
  /** Waits until nothing is in flight, at most until a deadline of the monotonic clock. */
  waitUntilIdle(until: number): Promise<unknown>;
  /** Called after each change of the status. */
  changed(): void;
}

export class RouteLifecycle {
  status: RouteStatus = "Stopped";
  startedAt = 0;
  /** Why the route is Failed. */
  problem: string | undefined = undefined;
  readonly #parts: LifecycleParts;
  #servicesUp = false;
  /** True when the source is started but cannot reach its system. */
  #isLost = false;
  /** The state that the source reported while it was starting. */
  #reportedEarly: { problem: string | undefined } | undefined = undefined;
  #cancelRetry: (() => void) | undefined = undefined;
  /** Incremented whenever a start is aborted, so that a pending start can detect it. */
  #generation = 0;
  /**
   * The running start attempt. An aborted attempt stops its source late, so the next attempt waits for it; otherwise the new source
   * would be stopped.
   */
  #running: Promise<unknown> | undefined = undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** True while its source is started, even if it cannot reach its system. */
  get isSourceStarted(): boolean {
    return this.status === "Started" || this.#isLost;
  }

  /** True while it accepts messages or tries to. */
  get isActive(): boolean {
    return this.isSourceStarted || this.status === "Starting" || this.#cancelRetry !== undefined;
  }

  lost(problem: string | undefined): void {
    if (this.#reportedEarly !== undefined) this.#reportedEarly.problem = problem;
    else if (this.isSourceStarted) this.#report(problem);
  }

  /** Rejects when the start fails permanently; a failure that `supervision` covers leaves the route Failed and is retried. */
  async start(supervision: Supervision = "retryable"): Promise<void> {
    if (this.status === "Started" || this.status === "Starting") return;
    if (!this.#parts.isHeld()) {
      this.#setStatus("Suspended");
      return;
    }
    const suspended = this.status === "Suspended" && this.startedAt !== 0;
    this.#endAttempts();
    this.#setStatus("Starting");
    const thrown = await this.#attempt(suspended);
    if (thrown === undefined) return;
    const error = toFlowError(thrown);
    this.problem = error.message;
    this.#setStatus("Failed");
    if (supervision !== "always" && !error.retryable) throw thrown;
    const { host, identity } = this.#parts;
    host.log.write("WARN", identity.id, `Route '${identity.id}' failed to start and will be retried: ${error.message}`);
    this.#retry(1);
  }

  /** Called instead of `start` for a route that an operator stopped. */
  stayInactive(status: InactiveStatus): void {
    this.#parts.program().source.reserve?.();
    this.#setStatus(status);
  }

  async suspend(): Promise<void> {
    if (!this.isActive) return;
    const started = this.isSourceStarted || this.status === "Starting";
    this.#endAttempts();
    this.problem = undefined;
    if (started) await this.#stopSource(this.#parts.host.clock.monotonic() + this.#parts.drainMs);
    this.#setStatus("Suspended");
  }

  async resume(): Promise<void> {
    if (this.status === "Stopped" || this.status === "Failed" || this.status === "Suspended") return this.start();
  }

  /** Starts the services of the steps: sinks, timers of aggregators. If one fails, those already started are stopped. */
  async startServices(): Promise<void> {
    if (this.#servicesUp) return;
    const { lifecycles } = this.#parts.program();
    let started = 0;
    try {
      for (const lifecycle of lifecycles) {
        await lifecycle.start?.();
        started++;
      }
    } catch (error) {
      for (const lifecycle of lifecycles.slice(0, started).toReversed()) await Promise.resolve(lifecycle.stop?.()).catch(() => undefined);
      throw error;
    }
    this.#servicesUp = true;
  }

  /** Stops services in reverse order; messages they send on stop (a last group) complete while the next service still works. */
  async stopServices(until: number): Promise<void> {
    if (!this.#servicesUp) return;
    this.#servicesUp = false;
    for (const lifecycle of this.#parts.program().lifecycles.toReversed()) {
      await completesBefore(async () => lifecycle.stop?.(), until, this.#parts.host.clock);
      await this.#parts.waitUntilIdle(until);
    }
  }

  /** Stops accepting messages; false when the source was still busy at the deadline. */
  async halt(until: number): Promise<boolean> {
    if (this.status === "Stopped" || this.status === "Stopping") return true;
    const started = this.isSourceStarted || this.status === "Starting";
    this.#endAttempts();
    this.#setStatus("Stopping");
    return !started || this.#stopSource(until);
  }

  stopped(): void {
    this.#setStatus("Stopped");
  }

  /** One start attempt, after the previous one has finished; returns the error. */
  async #attempt(keepStartTime = false): Promise<unknown> {
    const generation = this.#generation;
    const previous = this.#running;
    if (previous !== undefined) {
      const { host, drainMs } = this.#parts;
      await completesBefore(() => previous, host.clock.monotonic() + drainMs, host.clock);
      if (generation !== this.#generation) return undefined;
    }
    const running = this.#startSource(generation, keepStartTime);
    this.#running = running;
    try {
      return await running;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  async #startSource(generation: number, keepStartTime: boolean): Promise<unknown> {
    const { host, routeInput } = this.#parts;
    const reported = (this.#reportedEarly = { problem: undefined as string | undefined });
    try {
      await this.startServices();
      if (generation === this.#generation) await this.#parts.program().source.start(routeInput);
    } catch (error) {
      if (generation !== this.#generation) return undefined;
      this.#reportedEarly = undefined;
      return error ?? new Error("the source failed to start and reported no error");
    }
    // The start was aborted meanwhile. The source was stopped then, but may have finished starting after that.
    if (generation !== this.#generation) {
      await this.#parts.program().source.stop();
      return undefined;
    }
    this.#reportedEarly = undefined;
    if (!keepStartTime) this.startedAt = host.clock.now();
    this.#report(reported.problem);
    return undefined;
  }

  #retry(attempt: number): void {
    const { host, identity } = this.#parts;
    const retry = async (): Promise<void> => {
      const generation = this.#generation;
      const error = await this.#attempt();
      if (generation !== this.#generation) return;
      this.#cancelRetry = undefined;
      if (error === undefined) {
        host.log.write("INFO", identity.id, `Route '${identity.id}' started after ${attempt + 1} attempts`);
        return;
      }
      this.problem = toFlowError(error).message;
      this.#retry(attempt + 1);
    };
    this.#cancelRetry = host.clock.after(backOffMs(attempt, host.random()), () => void retry());
  }

  #endAttempts(): void {
    this.#generation++;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#reportedEarly = undefined;
    this.#isLost = false;
  }

  #report(problem: string | undefined): void {
    this.#isLost = problem !== undefined;
    this.problem = problem;
    this.#setStatus(this.#isLost ? "Failed" : "Started");
  }

  async #stopSource(until: number): Promise<boolean> {
    const { host, identity } = this.#parts;
    const { source, from } = this.#parts.program();
    const stopped = await completesBefore(async () => source.stop(), until, host.clock);
    if (stopped) return true;
    const abandoned = source.abandon?.() ?? 0;
    const consequence = abandoned === 0 ? "the remaining messages are abandoned" : `messages abandoned: ${abandoned}`;
    host.log.write("ERROR", identity.id, `'${from}' still had messages to deliver at the drain timeout; ${consequence}`);
    return false;
  }

  #setStatus(status: RouteStatus): void {
    if (this.status === status) return;
    this.status = status;
    this.#parts.changed();
  }
}
