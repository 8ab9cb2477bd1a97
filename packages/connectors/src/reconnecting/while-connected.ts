// Maintains a subscription: connects, subscribes, and reconnects with back-off when the connection is lost.
import { toFlowError, type Connection, type Host, type SourceInput } from "@sluice/engine/spi";
import { backOffMs, reconnectBackOff, type BackOff } from "@sluice/engine/tools";

export interface Subscription {
  /** Accepts no more messages; resolves when accepted ones are settled. Must not fail because the connection is lost. */
  stop(): Promise<void>;
}

/** A shared connection, or a dedicated one with `drop`. */
export interface SubscribableConnection<C> extends Pick<Connection<C>, "client" | "watch" | "release"> {
  /** Closes a dedicated client whose subscription failed. A shared client stays open: others use it, and the runtime detects when it is broken. */
  drop?(client: C): void;
}

export interface ReconnectLimit {
  /** True when no further attempt is made after this many consecutive failures, of which a lost connection is the first. */
  isReached(failures: number): boolean;
  /** The options that set the limit, for the error message. */
  readonly reason: string;
}

/** At most this many attempts to reconnect. */
export function reconnectAttempts(attempts: number, reason: string): ReconnectLimit {
  return { isReached: (failures) => failures > attempts, reason };
}

export interface WhileConnected<C> {
  readonly connection: SubscribableConnection<C>;
  readonly host: Host;
  readonly backOff?: BackOff;
  /** When to stop reconnecting; by default never. */
  readonly reconnectLimit?: ReconnectLimit;
  /** Subscribes with a client; called again after each reconnect. Call `lost` when the subscription breaks but its client does not. */
  begin(client: C, routeInput: SourceInput, lost: (problem: string) => void): Promise<Subscription>;
}

/** Maximum wait of a start; after that the route is Failed until the connection succeeds. */
const startMs = 2000;

/** The `start` and `stop` of a source. */
export function whileConnected<C>(parts: WhileConnected<C>): { start(routeInput: SourceInput): Promise<void>; stop(): Promise<void> } {
  let running: Reconnector<C> | undefined;
  return {
    async start(routeInput) {
      const previous = running;
      const starting = (running = new Reconnector(parts, routeInput));
      await starting.begin();
      await previous?.stop();
    },
    async stop() {
      const stopping = running;
      running = undefined;
      await stopping?.stop();
    },
  };
}

class Reconnector<C> {
  readonly #parts: WhileConnected<C>;
  readonly #routeInput: SourceInput;
  #subscription: Subscription | undefined = undefined;
  #unwatch: (() => void) | undefined = undefined;
  #cancelWait: (() => void) | undefined = undefined;
  #working: Promise<void> | undefined = undefined;
  #failures = 0;
  #isLimitReached = false;
  #isStopped = false;
  #isLost = false;

  constructor(parts: WhileConnected<C>, routeInput: SourceInput) {
    this.#parts = parts;
    this.#routeInput = routeInput;
  }

  /** Resolves after the first attempt, but after `startMs` at the latest. */
  async begin(): Promise<void> {
    const { clock } = this.#parts.host;
    this.#unwatch = this.#parts.connection.watch(({ state, problem }) => {
      // Without a subscription there is no loss to handle; with one, `up` means that the client was replaced.
      if (this.#subscription !== undefined) this.#handleLoss(state === "up" ? undefined : (problem ?? "the connection is down"));
      else if (state === "idle") this.#retryNow();
    });
    let cancel = (): void => undefined;
    const timeout = new Promise<boolean>((resolve) => (cancel = clock.after(startMs, () => resolve(false))));
    const inTime = await Promise.race([this.#attempt().then(() => true), timeout]);
    cancel();
    if (!inTime && this.#subscription === undefined && !this.#isStopped) this.#report(`no response within ${startMs} ms`);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelWait?.();
    this.#unwatch?.();
    await this.#working;
    await this.#end();
    this.#parts.connection.release();
  }

  #attempt(): Promise<void> {
    this.#working ??= this.#subscribe().finally(() => (this.#working = undefined));
    return this.#working;
  }

  async #subscribe(): Promise<void> {
    let client: C | undefined;
    try {
      client = await this.#parts.connection.client();
      if (this.#isStopped) return;
      await this.#beginWith(client);
      this.#failures = 0;
      if (this.#isLost) this.#report(undefined);
    } catch (error) {
      if (client !== undefined) this.#parts.connection.drop?.(client);
      this.#retryLater(toFlowError(error).message);
    }
  }

  async #beginWith(client: C): Promise<void> {
    let problem: string | undefined;
    let started: Subscription | undefined;
    started = await this.#parts.begin(client, this.#routeInput, (text) => {
      problem ??= text;
      if (started !== undefined && this.#subscription === started) this.#handleLoss(problem);
    });
    this.#subscription = started;
    if (problem === undefined) return;
    await this.#end();
    throw new Error(problem);
  }

  /** `problem` is undefined when the client was replaced: subscribe again immediately. */
  #handleLoss(problem: string | undefined): void {
    if (this.#isStopped) return;
    if (problem !== undefined) this.#report(problem);
    this.#working ??= this.#end()
      .then(() => (problem === undefined && !this.#isStopped ? this.#subscribe() : this.#retryLater(problem ?? "")))
      .finally(() => (this.#working = undefined));
  }

  #retryLater(problem: string): void {
    if (this.#isStopped) return;
    const { host, backOff = reconnectBackOff, reconnectLimit } = this.#parts;
    this.#failures++;
    this.#isLimitReached = reconnectLimit?.isReached(this.#failures) === true;
    if (reconnectLimit !== undefined && this.#isLimitReached) {
      this.#report(`${problem}; the source does not reconnect because of ${reconnectLimit.reason}: restart the route`);
      return;
    }
    this.#report(problem);
    this.#cancelWait = host.clock.after(backOffMs(this.#failures, host.random(), backOff), () => {
      this.#cancelWait = undefined;
      void this.#attempt();
    });
  }

  /** Called when the connection has new values: an attempt that failed may now succeed. */
  #retryNow(): void {
    if ((this.#cancelWait === undefined && !this.#isLimitReached) || this.#isStopped) return;
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#isLimitReached = false;
    this.#failures = 0;
    void this.#attempt();
  }

  #report(problem: string | undefined): void {
    this.#isLost = problem !== undefined;
    this.#routeInput.lost(problem);
  }

  async #end(): Promise<void> {
    const ending = this.#subscription;
    this.#subscription = undefined;
    await ending?.stop().catch((error: unknown) => this.#parts.host.log.write("WARN", "sluice.connections", toFlowError(error).message));
  }
}
