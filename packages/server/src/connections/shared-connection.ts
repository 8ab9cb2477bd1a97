// A shared connection: opened for the first user, checked while in use, closed after the last user.
import {
  FlowError,
  isFlowError,
  toFlowError,
  type ClientNeed,
  type Connection,
  type ConnectionDeclaration,
  type ConnectionState,
  type Host,
} from "@sluice/engine/spi";
import { backOffMs } from "@sluice/engine/tools";

/** Interval and time limit of the checks of a connection in use. */
const checkEveryMs = 30_000;
/** The least time between two checks while someone looks at the state. */
const checkSoonMs = 3_000;
const checkLimitMs = 10_000;

/** Shortest wait after the system rejected the credentials: a server may lock an account that fails to log in often. */
const rejectedMs = 30_000;

export interface SharedConnectionParts {
  readonly id: string;
  readonly declaration: ConnectionDeclaration;
  readonly host: Host;
  load<T>(need: ClientNeed): Promise<T>;
}

/** A client and its users. */
interface Generation {
  readonly number: number;
  readonly client: unknown;
  readonly users: Set<object>;
}

export interface ConnectionMetrics {
  readonly id: string;
  readonly type: string;
  readonly state: ConnectionState;
  readonly users: number;
  readonly reconnects: number;
}

export class SharedConnection {
  readonly id: string;
  readonly type: string;
  readonly #parts: SharedConnectionParts;
  readonly #users = new Set<object>();
  readonly #watchers = new Set<(state: ConnectionState) => void>();
  readonly #replaced = new Set<Generation>();
  #values: Readonly<Record<string, unknown>>;
  #state: ConnectionState;
  #current: Generation | undefined = undefined;
  #opening: Promise<Generation> | undefined = undefined;
  #abort: AbortController | undefined = undefined;
  #generations = 0;
  #failures = 0;
  #retryAt = 0;
  /** Why the last attempt failed; shows users whether waiting can help. */
  #cause: unknown = undefined;
  #reconnects = 0;
  #cancelCheck: (() => void) | undefined = undefined;
  /** Monotonic time of the last successful check. */
  #checkedAt = 0;

  constructor(values: Readonly<Record<string, unknown>>, parts: SharedConnectionParts) {
    this.id = parts.id;
    this.type = parts.declaration.type;
    this.#values = values;
    this.#parts = parts;
    this.#state = { state: "idle", since: parts.host.clock.now(), problem: undefined, generation: 0 };
  }

  get metrics(): ConnectionMetrics {
    return { id: this.id, type: this.type, state: this.#state, users: this.#users.size, reconnects: this.#reconnects };
  }

  /** Returns a handle for one endpoint. */
  share<C>(): Connection<C> {
    const user = {};
    const watching = new Set<(state: ConnectionState) => void>();
    // Endpoints request the client for every message, so it is cached while it is valid.
    let known: { readonly generation: Generation; readonly client: Promise<C> } | undefined;
    const open = async (): Promise<C> => {
      this.#users.add(user);
      const generation = await this.#open();
      const client = generation.client as C;
      // Released while connecting: the client is closed unless another user needs it.
      if (this.#users.has(user)) {
        this.#move(user, generation);
        known = { generation, client: Promise.resolve(client) };
      }
      return client;
    };
    return {
      id: this.id,
      client: () => (known !== undefined && known.generation === this.#current ? known.client : open()),
      invalidate: (client, problem) => {
        if (this.#current?.client === client) this.#lose(this.#current, problem);
      },
      watch: (listener) => {
        this.#users.add(user);
        this.#watchers.add(listener);
        watching.add(listener);
        return () => {
          this.#watchers.delete(listener);
          watching.delete(listener);
        };
      },
      release: () => {
        for (const listener of watching) this.#watchers.delete(listener);
        watching.clear();
        known = undefined;
        this.#leave(user);
      },
    };
  }

  /** Applies values without testing them: users reconnect with them. */
  adopt(values: Readonly<Record<string, unknown>>): void {
    if (this.#current === undefined) return this.#takeOver(values);
    this.#values = values;
    this.#lose(this.#current, "its values were changed");
  }

  /** Connects with the new values first. Users then switch to the new client; the old one is closed after its last user has switched. */
  async replace(values: Readonly<Record<string, unknown>>): Promise<void> {
    const before = this.#current;
    if (before === undefined) return this.#takeOver(values);
    const next = await this.#connect(values);
    this.#values = values;
    if (this.#current === before && before.users.size > 0) this.#replaced.add(before);
    else if (this.#current === before) void this.#close(before);
    this.#current = next;
    this.#become("up", undefined);
  }

  /** Sets the values for the next attempt, which starts without a delay, so that users that failed with the old values try again. */
  #takeOver(values: Readonly<Record<string, unknown>>): void {
    this.#values = values;
    this.#failures = 0;
    this.#retryAt = 0;
    if (this.#state.state === "down") this.#become("idle", undefined);
  }

  /** Closes all clients, on shutdown. */
  async close(): Promise<void> {
    this.#users.clear();
    this.#watchers.clear();
    this.#abort?.abort();
    const all = [...this.#replaced, ...(this.#current === undefined ? [] : [this.#current])];
    this.#replaced.clear();
    this.#current = undefined;
    this.#cancelChecks();
    await Promise.all(all.map((generation) => this.#close(generation)));
  }

  #open(): Promise<Generation> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    const { clock } = this.#parts.host;
    if (this.#opening === undefined && clock.monotonic() < this.#retryAt)
      return Promise.reject(this.#down(this.#state.problem ?? "no connection", this.#cause));
    const values = this.#values;
    this.#opening ??= this.#connect(values)
      .then(
        (generation) => {
          if (this.#users.size === 0) {
            void this.#close(generation);
            throw this.#down("it is no longer used");
          }
          if (this.#failures > 0 || this.#generations > 1) this.#reconnects++;
          this.#failures = 0;
          this.#cause = undefined;
          this.#current = generation;
          this.#become("up", undefined);
          this.#checkLater();
          return generation;
        },
        (thrown: unknown) => {
          const { message } = toFlowError(thrown);
          this.#failures++;
          // Values that were replaced meanwhile are tried without waiting.
          if (values !== this.#values) throw this.#down(message, thrown);
          this.#cause = thrown;
          const waitMs = backOffMs(this.#failures, this.#parts.host.random());
          this.#retryAt = clock.monotonic() + (isFlowError(thrown) && !thrown.retryable ? Math.max(rejectedMs, waitMs) : waitMs);
          if (this.#users.size > 0) this.#become("down", message);
          throw this.#down(message, thrown);
        },
      )
      .finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #connect(values: Readonly<Record<string, unknown>>): Promise<Generation> {
    const { declaration, host, load } = this.#parts;
    const number = ++this.#generations;
    const abort = (this.#abort = new AbortController());
    const client: unknown = await declaration.open(values as never, {
      host,
      signal: abort.signal,
      load,
      disconnected: (problem) => {
        if (this.#current?.number === number) this.#lose(this.#current, problem);
      },
    });
    return { number, client, users: new Set() };
  }

  /** The user has the newest client and releases older ones. */
  #move(user: object, generation: Generation): void {
    generation.users.add(user);
    if (this.#replaced.size > 0) this.#leaveReplaced(user);
  }

  #leaveReplaced(user: object): void {
    for (const old of this.#replaced) {
      old.users.delete(user);
      if (old.users.size > 0) continue;
      this.#replaced.delete(old);
      void this.#close(old);
    }
  }

  #leave(user: object): void {
    if (!this.#users.delete(user)) return;
    this.#leaveReplaced(user);
    this.#current?.users.delete(user);
    if (this.#users.size > 0) return;
    if (this.#opening !== undefined) this.#abort?.abort();
    const { problem } = this.#state;
    const left = this.#current;
    this.#current = undefined;
    this.#cancelChecks();
    if (left !== undefined) void this.#close(left);
    if (this.#state.state !== "idle" || problem !== undefined) this.#become("idle", undefined);
  }

  #lose(generation: Generation, problem: string): void {
    this.#current = undefined;
    this.#cancelChecks();
    void this.#close(generation);
    this.#become("down", problem);
  }

  #cancelChecks(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  /** Checks an open connection before its next check is due; called while its state is displayed. */
  checkSoon(): void {
    if (this.#cancelCheck === undefined || this.#parts.host.clock.monotonic() - this.#checkedAt < checkSoonMs) return;
    this.#cancelChecks();
    this.#check();
  }

  #checkLater(): void {
    const { clock } = this.#parts.host;
    this.#checkedAt = clock.monotonic();
    this.#cancelCheck = clock.after(checkEveryMs, () => {
      this.#cancelCheck = undefined;
      this.#check();
    });
  }

  #check(): void {
    const { clock } = this.#parts.host;
    const checked = this.#current;
    if (checked === undefined) return;
    const abort = new AbortController();
    const cancel = clock.after(checkLimitMs, () => abort.abort(new Error(`no response within ${checkLimitMs} ms`)));
    const late = new Promise<never>((_resolve, reject) => abort.signal.addEventListener("abort", () => reject(abort.signal.reason as Error), { once: true }));
    Promise.race([this.#parts.declaration.check(checked.client, abort.signal), late])
      .then(
        () => this.#current !== undefined && this.#cancelCheck === undefined && this.#checkLater(),
        (thrown: unknown) => this.#current === checked && this.#lose(checked, toFlowError(thrown).message),
      )
      .finally(cancel);
  }

  #close(generation: Generation): Promise<void> {
    const { declaration, host } = this.#parts;
    return declaration
      .close(generation.client)
      .catch((thrown: unknown) =>
        host.log.write("DEBUG", "sluice.connections", `Connection '${this.id}' was not closed properly: ${toFlowError(thrown).message}`),
      );
  }

  #become(state: ConnectionState["state"], problem: string | undefined): void {
    const { clock, log } = this.#parts.host;
    const before = this.#state;
    this.#state = {
      state,
      problem,
      since: before.state === state ? before.since : clock.now(),
      generation: this.#current?.number ?? before.generation,
    };
    if (state === "down" && (before.state !== "down" || before.problem !== problem))
      log.write("WARN", "sluice.connections", `Connection '${this.id}' is down: ${problem ?? ""}`);
    if (state === "up" && before.state === "down") log.write("INFO", "sluice.connections", `Connection '${this.id}' is up again`);
    for (const watcher of [...this.#watchers]) watcher(this.#state);
  }

  #down(problem: string, cause?: unknown): FlowError {
    return new FlowError("java.net.ConnectException", `connection '${this.id}' is down: ${problem}`, { code: "connection-down", retryable: true, cause });
  }
}
