// A shared connection: opened for the first user, checked while in use, closed after the last user.
import {
  FlowError,
  isFlowError,
  toFlowError,
  type ClientPackage,
  type Connection,
  type ConnectionDeclaration,
  type ConnectionState,
  type Host,
} from "@sluice/engine/spi";
import { backOffMs } from "@sluice/engine/tools";

/** Interval of the health checks of a connection in use. */
const checkIntervalMs = 30_000;
/** Minimum time between two checks while a client displays the state. */
const minCheckIntervalMs = 3_000;
const checkTimeoutMs = 10_000;

/** Minimum wait after an error that is not retryable, such as rejected credentials: a server may lock an account after several failed logins. */
const minNonRetryableWaitMs = 30_000;

export interface SharedConnectionParts {
  readonly id: string;
  readonly host: Host;
  load<T>(clientPackage: ClientPackage): Promise<T>;
}

/** The type of a connection and its values. */
export interface ConnectionDefinition {
  readonly declaration: ConnectionDeclaration;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A client and its users. */
interface Generation {
  readonly number: number;
  readonly declaration: ConnectionDeclaration;
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
  readonly #parts: SharedConnectionParts;
  readonly #users = new Set<object>();
  readonly #watchers = new Set<(state: ConnectionState) => void>();
  readonly #replaced = new Set<Generation>();
  /** Undefined after the connection was removed. */
  #definition: ConnectionDefinition | undefined;
  #state: ConnectionState;
  #current: Generation | undefined = undefined;
  #opening: Promise<Generation> | undefined = undefined;
  #abortOpening: AbortController | undefined = undefined;
  #abortReplacing: AbortController | undefined = undefined;
  #generations = 0;
  #failures = 0;
  #retryAt = 0;
  /** Why the last attempt failed: the cause of the errors that users get. */
  #cause: unknown = undefined;
  #reconnects = 0;
  #cancelCheck: (() => void) | undefined = undefined;
  /** Monotonic time of the last successful check or connect. */
  #checkedAt = 0;

  constructor(definition: ConnectionDefinition, parts: SharedConnectionParts) {
    this.id = parts.id;
    this.#definition = definition;
    this.#parts = parts;
    this.#state = { state: "idle", since: parts.host.clock.now(), problem: undefined, generation: 0 };
  }

  /** Empty after the connection was removed. */
  get type(): string {
    return this.#definition?.declaration.type ?? "";
  }

  get metrics(): ConnectionMetrics {
    return { id: this.id, type: this.type, state: this.#state, users: this.#users.size, reconnects: this.#reconnects };
  }

  /** Returns a handle for one endpoint, which can use clients of these kinds. */
  share<C>(kinds: readonly string[]): Connection<C> {
    const user = {};
    const listeners = new Set<(state: ConnectionState) => void>();
    // Endpoints request the client for every message, so it is cached while it is valid.
    let cached: { readonly generation: Generation; readonly client: Promise<C> } | undefined;
    const open = async (): Promise<C> => {
      const { declaration } = this.#definition ?? {};
      if (declaration?.kinds.some((kind) => kinds.includes(kind)) === false) {
        this.#removeUser(user);
        throw this.#down(`it is now of type '${declaration.type}', which this endpoint cannot use`);
      }
      this.#users.add(user);
      const generation = await this.#open();
      const client = generation.client as C;
      // Released while connecting: the client is closed unless another user needs it.
      if (this.#users.has(user)) {
        this.#switchUser(user, generation);
        cached = { generation, client: Promise.resolve(client) };
      }
      return client;
    };
    return {
      id: this.id,
      client: () => (cached !== undefined && cached.generation === this.#current ? cached.client : open()),
      invalidate: (client, problem) => {
        if (this.#current?.client === client) this.#lose(this.#current, problem);
      },
      watch: (listener) => {
        this.#users.add(user);
        this.#watchers.add(listener);
        listeners.add(listener);
        return () => {
          this.#watchers.delete(listener);
          listeners.delete(listener);
        };
      },
      release: () => {
        for (const listener of listeners) this.#watchers.delete(listener);
        listeners.clear();
        cached = undefined;
        this.#removeUser(user);
      },
    };
  }

  /** Applies a definition without testing it; users reconnect. */
  adopt(definition: ConnectionDefinition): void {
    if (this.#current === undefined) return this.#define(definition);
    this.#definition = definition;
    this.#lose(this.#current, "its values were changed");
  }

  /** Connects with the new definition first. Users then switch to the new client; the old one is closed after its last user has switched. */
  async replace(definition: ConnectionDefinition): Promise<void> {
    if (this.#current === undefined) return this.#define(definition);
    const previous = this.#definition;
    const next = await this.#connect(definition, (this.#abortReplacing = new AbortController()));
    // Removed or changed again in the meantime.
    if (this.#definition !== previous) return this.#close(next);
    if (this.#users.size === 0) {
      this.#define(definition);
      return this.#close(next);
    }
    this.#definition = definition;
    // Read after connecting: the previous client may have been lost and replaced in the meantime.
    const old = this.#current;
    if (old !== undefined && old.users.size > 0) this.#replaced.add(old);
    else if (old !== undefined) void this.#close(old);
    this.#use(next);
  }

  /** Sets the definition for the next attempt, which starts without a delay, so that users that failed with the old values try again. */
  #define(definition: ConnectionDefinition): void {
    this.#definition = definition;
    this.#failures = 0;
    this.#retryAt = 0;
    if (this.#state.state === "down") this.#setState("idle", undefined);
  }

  /** Closes all clients. Users fail until the connection is defined again. */
  async remove(): Promise<void> {
    this.#definition = undefined;
    this.#abortOpening?.abort();
    this.#abortReplacing?.abort();
    const all = [...this.#replaced, ...(this.#current === undefined ? [] : [this.#current])];
    this.#replaced.clear();
    this.#current = undefined;
    this.#cancelChecks();
    if (this.#users.size > 0) this.#setState("down", "it was removed");
    await Promise.all(all.map((generation) => this.#close(generation)));
  }

  /** Closes all clients, on shutdown. */
  close(): Promise<void> {
    this.#users.clear();
    this.#watchers.clear();
    return this.remove();
  }

  #open(): Promise<Generation> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    if (this.#definition === undefined) return Promise.reject(this.#down("it was removed"));
    if (this.#opening === undefined && this.#parts.host.clock.monotonic() < this.#retryAt)
      return Promise.reject(this.#down(this.#state.problem ?? "no connection", this.#cause));
    this.#opening ??= this.#openWith(this.#definition).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #openWith(definition: ConnectionDefinition): Promise<Generation> {
    const generation = await this.#connect(definition, (this.#abortOpening = new AbortController())).catch((error: unknown) => {
      throw this.#fail(definition, error);
    });
    if (this.#users.size === 0) {
      void this.#close(generation);
      throw this.#down("it is no longer used");
    }
    if (this.#definition !== definition) {
      // The definition changed in the meantime: this client is obsolete.
      void this.#close(generation);
      if (this.#definition === undefined) throw this.#down("it was removed");
      return this.#current ?? this.#openWith(this.#definition);
    }
    if (this.#failures > 0 || this.#generations > 1) this.#reconnects++;
    this.#use(generation);
    return generation;
  }

  #use(generation: Generation): void {
    this.#failures = 0;
    this.#retryAt = 0;
    this.#cause = undefined;
    this.#current = generation;
    this.#setState("up", undefined);
    this.#cancelChecks();
    this.#checkLater();
  }

  /** Records a failed attempt and returns the error for the users. */
  #fail(definition: ConnectionDefinition, error: unknown): FlowError {
    const { host } = this.#parts;
    const { message } = toFlowError(error);
    this.#failures++;
    // If the definition was replaced in the meantime, the next attempt starts without a delay.
    if (definition !== this.#definition) return this.#down(message, error);
    this.#cause = error;
    const waitMs = backOffMs(this.#failures, host.random());
    this.#retryAt = host.clock.monotonic() + (isFlowError(error) && !error.retryable ? Math.max(minNonRetryableWaitMs, waitMs) : waitMs);
    if (this.#users.size > 0) this.#setState("down", message);
    return this.#down(message, error);
  }

  async #connect({ declaration, values }: ConnectionDefinition, { signal }: AbortController): Promise<Generation> {
    const { host, load } = this.#parts;
    const number = ++this.#generations;
    const client: unknown = await declaration.open(values as never, {
      host,
      signal,
      load,
      disconnected: (problem) => {
        if (this.#current?.number === number) this.#lose(this.#current, problem);
      },
    });
    return { number, declaration, client, users: new Set() };
  }

  /** Assigns the user to the newest client and releases its older ones. */
  #switchUser(user: object, generation: Generation): void {
    generation.users.add(user);
    if (this.#replaced.size > 0) this.#releaseReplaced(user);
  }

  #releaseReplaced(user: object): void {
    for (const old of this.#replaced) {
      old.users.delete(user);
      if (old.users.size > 0) continue;
      this.#replaced.delete(old);
      void this.#close(old);
    }
  }

  #removeUser(user: object): void {
    if (!this.#users.delete(user)) return;
    this.#releaseReplaced(user);
    this.#current?.users.delete(user);
    if (this.#users.size > 0) return;
    if (this.#opening !== undefined) this.#abortOpening?.abort();
    const { problem } = this.#state;
    const unused = this.#current;
    this.#current = undefined;
    this.#cancelChecks();
    if (unused !== undefined) void this.#close(unused);
    if (this.#state.state !== "idle" || problem !== undefined) this.#setState("idle", undefined);
  }

  #lose(generation: Generation, problem: string): void {
    this.#current = undefined;
    this.#cancelChecks();
    void this.#close(generation);
    this.#setState("down", problem);
  }

  #cancelChecks(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  /** Checks an open connection before its next check is due; called while a client displays its state. */
  checkSoon(): void {
    if (this.#cancelCheck === undefined || this.#parts.host.clock.monotonic() - this.#checkedAt < minCheckIntervalMs) return;
    this.#cancelChecks();
    this.#check();
  }

  #checkLater(): void {
    const { clock } = this.#parts.host;
    this.#checkedAt = clock.monotonic();
    this.#cancelCheck = clock.after(checkIntervalMs, () => {
      this.#cancelCheck = undefined;
      this.#check();
    });
  }

  #check(): void {
    const { clock } = this.#parts.host;
    const generation = this.#current;
    if (generation === undefined) return;
    const abort = new AbortController();
    const cancel = clock.after(checkTimeoutMs, () => abort.abort(new Error(`no response within ${checkTimeoutMs} ms`)));
    const timeout = new Promise<never>((_resolve, reject) =>
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason as Error), { once: true }),
    );
    Promise.race([generation.declaration.check(generation.client, abort.signal), timeout])
      .then(
        () => this.#current !== undefined && this.#cancelCheck === undefined && this.#checkLater(),
        (error: unknown) => this.#current === generation && this.#lose(generation, toFlowError(error).message),
      )
      .finally(cancel);
  }

  #close({ declaration, client }: Generation): Promise<void> {
    return declaration
      .close(client)
      .catch((error: unknown) =>
        this.#parts.host.log.write("DEBUG", "sluice.connections", `Connection '${this.id}' was not closed properly: ${toFlowError(error).message}`),
      );
  }

  #setState(state: ConnectionState["state"], problem: string | undefined): void {
    const { clock, log } = this.#parts.host;
    const previous = this.#state;
    this.#state = {
      state,
      problem,
      since: previous.state === state ? previous.since : clock.now(),
      generation: this.#current?.number ?? previous.generation,
    };
    if (state === "down" && (previous.state !== "down" || previous.problem !== problem))
      log.write("WARN", "sluice.connections", `Connection '${this.id}' is down: ${problem ?? ""}`);
    if (state === "up" && previous.state === "down") log.write("INFO", "sluice.connections", `Connection '${this.id}' is up again`);
    for (const watcher of [...this.#watchers]) watcher(this.#state);
  }

  #down(problem: string, cause?: unknown): FlowError {
    return new FlowError("java.net.ConnectException", `connection '${this.id}' is down: ${problem}`, { code: "connection-down", retryable: true, cause });
  }
}
