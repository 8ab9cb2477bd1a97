// A sink or poller resolved at run time: started on first use, stopped when evicted.
import { toFlowError } from "../errors/flow-error.ts";
import type { Log } from "../spi/host.ts";
import type { Awaitable } from "../spi/processor.ts";

export interface Startable {
  start?(): Awaitable;
  stop?(): Awaitable;
  /** True while stopping it would lose messages. */
  isBusy?(): boolean;
}

export class LazyEndpoint {
  readonly uri: string;
  readonly #subject: Startable;
  readonly #log: Log;
  #uses = 0;
  #isStarted = false;
  #isReleased = false;
  #starting: Promise<void> | undefined = undefined;
  #stopping: Promise<void> | undefined = undefined;
  /** Set by the idle check, cleared by each use. */
  isUnused = false;

  constructor(subject: Startable, uri: string, log: Log) {
    this.#subject = subject;
    this.uri = uri;
    this.#log = log;
  }

  /** True while it processes a message, or would lose messages if stopped. */
  get isBusy(): boolean {
    return this.#uses > 0 || this.#subject.isBusy?.() === true;
  }

  /** Starts the endpoint and runs `work`; the endpoint is not stopped before `work` completes. */
  use<T>(work: () => Awaitable<T>): Awaitable<T> {
    this.#uses++;
    this.isUnused = false;
    let result: Awaitable<T>;
    try {
      const starting = this.#isStarted ? undefined : this.#start();
      result = starting === undefined ? work() : starting.then(work);
    } catch (error) {
      this.#leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => this.#leave());
    this.#leave();
    return result;
  }

  /** Evicts it: stops now, or after its last message. A later use starts it for that use only. */
  release(): Awaitable {
    this.#isReleased = true;
    return this.#uses === 0 ? this.#stop() : undefined;
  }

  #leave(): void {
    if (--this.#uses === 0 && this.#isReleased) void this.#stop();
  }

  #start(): Promise<void> | undefined {
    if (this.#starting !== undefined) return this.#starting;
    const pending = this.#stopping === undefined ? this.#subject.start?.() : this.#stopping.then(() => this.#subject.start?.());
    if (pending === undefined) {
      this.#isStarted = true;
      return undefined;
    }
    this.#starting = pending.then(
      () => {
        this.#starting = undefined;
        this.#isStarted = true;
      },
      (error: unknown) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  #stop(): Promise<void> | undefined {
    if (!this.#isStarted) return this.#stopping;
    this.#isStarted = false;
    const logFailure = (error: unknown): void => this.#log.write("WARN", "sluice", `'${this.uri}' could not be stopped: ${toFlowError(error).message}`);
    let pending: Awaitable = undefined;
    try {
      pending = this.#subject.stop?.();
    } catch (error) {
      logFailure(error);
    }
    if (pending === undefined) return undefined;
    this.#stopping = pending.catch(logFailure).finally(() => (this.#stopping = undefined));
    return this.#stopping;
  }
}
