// A bounded pool of sessions; idle sessions are closed after a while.
import type { Clock } from "@sluice/engine/spi";
import type { Driver, Session } from "./database.ts";
import { watchAbort } from "./abort-watch.ts";
import { sqlFailure, unavailable } from "./sql-failure.ts";

export interface PoolOptions {
  readonly max: number;
  readonly idleTimeout: number;
  /** Timeout for getting a session, including connecting. */
  readonly connectTimeout: number;
}

/** After the server rejects a login, no new session is opened for this long: repeated failures may lock the account. */
const loginBackoffMs = 30_000;

interface Waiter {
  resolve(session: Session): void;
  reject(error: Error): void;
}

export class SessionPool {
  readonly driver: Driver;
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #unreachable: (problem: string) => void;
  /** The most recently used session is last. */
  readonly #idle: { readonly session: Session; readonly since: number }[] = [];
  #cancelSweep: (() => void) | undefined = undefined;
  readonly #inUse = new Set<Session>();
  readonly #waiting: Waiter[] = [];
  #connecting = 0;
  #isClosed = false;
  #rejection: { readonly until: number; readonly failure: Error } | undefined = undefined;

  /** `unreachable` is called when no session can be opened and none is in use. */
  constructor(driver: Driver, options: PoolOptions, clock: Clock, unreachable: (problem: string) => void) {
    this.driver = driver;
    this.#options = options;
    this.#clock = clock;
    this.#unreachable = unreachable;
  }

  /** True when every session is in use, which proves that the server is reachable. */
  get isFull(): boolean {
    return this.#inUse.size >= this.#options.max;
  }

  /** Acquires a session exclusively; return it with `release`. */
  async acquire(signal?: AbortSignal): Promise<Session> {
    return this.#takeIdle(signal) ?? this.#wait(signal);
  }

  #takeIdle(signal: AbortSignal | undefined): Session | undefined {
    if (this.#isClosed) throw unavailable("the connection is closed");
    signal?.throwIfAborted();
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.session.isBroken) continue;
      this.#inUse.add(idle.session);
      return idle.session;
    }
    return undefined;
  }

  release(session: Session): void {
    if (!this.#inUse.delete(session)) return;
    if (session.isBroken || this.#isClosed) {
      session.destroy();
      this.#connectMore();
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#inUse.add(session);
      next.resolve(session);
      return;
    }
    this.#idle.push({ session, since: this.#clock.monotonic() });
    this.#cancelSweep ??= this.#clock.after(this.#options.idleTimeout, () => this.#sweep());
  }

  /** Closes sessions that were idle for too long. One timer for all: a session is idle after each statement. */
  #sweep(): void {
    this.#cancelSweep = undefined;
    const latest = this.#clock.monotonic() - this.#options.idleTimeout;
    const expired = this.#idle.filter(({ since }) => since <= latest).length;
    for (const { session } of this.#idle.splice(0, expired)) session.destroy();
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#cancelSweep = this.#clock.after(Math.max(oldest.since - latest, 1), () => this.#sweep());
  }

  /** Acquires a session while `work` runs. If the signal is aborted, the session is closed and the call fails immediately. */
  async use<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#takeIdle(signal) ?? (await this.#wait(signal));
    try {
      return await abortable(session, () => work(session), signal);
    } finally {
      this.release(session);
    }
  }

  /** Opens a session outside the pool. */
  async connect(): Promise<Session> {
    const rejection = this.#activeRejection;
    if (rejection !== undefined) throw rejection;
    try {
      return await this.driver.connect();
    } catch (error) {
      const failure = sqlFailure(error, { connecting: true });
      if (!failure.retryable) this.#rejection = { until: this.#clock.monotonic() + loginBackoffMs, failure };
      throw failure;
    }
  }

  /** The error of a rejected login, while no new session is opened because of it. */
  get #activeRejection(): Error | undefined {
    return this.#clock.monotonic() < (this.#rejection?.until ?? 0) ? this.#rejection?.failure : undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSweep?.();
    for (const { session } of this.#idle.splice(0)) session.destroy();
    for (const session of this.#inUse) session.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable("the connection is closed"));
  }

  #wait(signal: AbortSignal | undefined): Promise<Session> {
    return new Promise((resolve, reject) => {
      const { connectTimeout, max } = this.#options;
      const stopWaiting = (): void => {
        cancel();
        signal?.removeEventListener("abort", onAbort);
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
      };
      const waiting: Waiter = {
        resolve: (session) => (stopWaiting(), resolve(session)),
        reject: (error) => (stopWaiting(), reject(error)),
      };
      const onAbort = (): void => waiting.reject(signal?.reason as Error);
      const cancel = this.#clock.after(connectTimeout, () =>
        waiting.reject(
          this.#activeRejection ?? unavailable(`no database session became available within ${connectTimeout} ms; ${this.#inUse.size} of ${max} are in use`),
        ),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#connectMore();
    });
  }

  #connectMore(): void {
    if (this.#isClosed) return;
    const rejection = this.#activeRejection;
    if (rejection !== undefined) {
      // While a session is in use, waiting callers may still get it when it is returned.
      if (this.#inUse.size + this.#connecting === 0) for (const { reject } of this.#waiting.splice(0)) reject(rejection);
      return;
    }
    if (this.#waiting.length <= this.#connecting || this.#inUse.size + this.#idle.length + this.#connecting >= this.#options.max) return;
    this.#connecting++;
    void this.connect()
      .then(
        (session) => {
          this.#connecting--;
          this.#inUse.add(session);
          const next = this.#waiting.shift();
          if (next === undefined) this.release(session);
          else next.resolve(session);
        },
        (failure: Error) => {
          this.#connecting--;
          this.#waiting.shift()?.reject(failure);
          if (this.#inUse.size === 0 && this.#idle.length === 0) this.#unreachable(failure.message);
        },
      )
      .then(() => this.#connectMore());
  }
}

/** A driver cannot cancel a statement, so a session with an abandoned statement is closed. */
export function abortable<T>(session: Session, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      session.destroy();
      reject(signal.reason as Error);
    };
    if (signal.aborted) return onAbort();
    const unwatch = watchAbort(signal, onAbort);
    work().then(
      (value) => {
        unwatch();
        resolve(value);
      },
      (error: unknown) => {
        unwatch();
        reject(error);
      },
    );
  });
}
