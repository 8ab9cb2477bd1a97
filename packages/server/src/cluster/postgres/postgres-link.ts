// The connection to PostgreSQL: a pool for statements, and one session that listens for notifications.
import { loadClient } from "@sluice/connectors";
import type { Log } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import { retryOperation, type StoreLink } from "../retry-operation.ts";

/** The parts of the package `pg` that are used. */
interface Pg {
  readonly Pool: new (options: object) => Pool;
  readonly Client: new (options: object) => Client;
}
interface Pool {
  connect(): Promise<Client & { release(discard?: boolean): void }>;
  on(event: "error", handle: () => void): void;
  on(event: "connect", handle: (client: Client) => void): void;
  end(): Promise<void>;
}
interface Client {
  connect(): Promise<unknown>;
  query(
    query: string | { readonly text: string; readonly values: readonly unknown[]; readonly query_timeout: number },
  ): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }>;
  on(event: "notification", handle: (message: { readonly payload?: string }) => void): void;
  on(event: "error" | "end", handle: () => void): void;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): void } };
}
export type Row = Readonly<Record<string, any>>;

const clientPackage = { package: "pg", version: "8.23.1", reason: "a cluster on PostgreSQL" };
const attemptMs = 2_000;
/**
 * Time limit of a statement that transfers up to `largeBytes`, or one row. PostgreSQL sends twice as many bytes, because it encodes them as hexadecimal
 * text.
 */
export const largeMs = 15_000;
/** Reads of larger content take several statements. */
export const largeBytes = 8 * 1024 ** 2;
const reconnectMs = 500;
/** How long `close` waits for connections that do not respond. */
const closeMs = 2_000;
const poolSize = 8;

export interface LinkLimits {
  /** Time limit of a statement on the server. */
  readonly statementMs: number;
  /** A connection that a firewall dropped looks idle: only a query at this interval shows that it is lost. */
  readonly checkEveryMs: number;
}

const defaultLimits: LinkLimits = { statementMs: largeMs, checkEveryMs: 3_000 };

/** No connection was established, so nothing was sent. */
class NotConnected extends Error {}

export class PostgresLink implements StoreLink {
  /** Prefix of tables and channels. */
  readonly name: string;
  readonly #pg: Pg;
  readonly #options: object;
  readonly #limits: LinkLimits;
  readonly #pool: Pool;
  readonly #log: Log;
  /** The channel of all nodes, and that of this node. */
  readonly #channels: readonly string[];
  readonly #listeners = new Set<(payload: string) => void>();
  #session: Client | undefined = undefined;
  #isClosed = false;

  private constructor(pg: Pg, url: string, name: string, log: Log, ownChannel: (prefix: string) => string, limits: LinkLimits) {
    this.name = `sluice_${name}`;
    this.#pg = pg;
    this.#log = log;
    this.#limits = limits;
    this.#channels = [this.name, ownChannel(this.name)];
    this.#options = {
      connectionString: url,
      connectionTimeoutMillis: attemptMs,
      query_timeout: attemptMs,
      keepAlive: true,
      application_name: "sluice cluster",
    };
    // A statement that waits for a lock continues on the server after its client has given up. Not a startup parameter: poolers reject those.
    this.#pool = new pg.Pool({ ...this.#options, max: poolSize, onConnect: (client: Client) => client.query(`set statement_timeout = ${limits.statementMs}`) });
    // A lost idle connection is replaced on the next use.
    this.#pool.on("error", () => undefined);
    // The pool handles errors of idle connections only; an error between two queries of a connection in use would be an uncaught exception.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  static async open(url: string, name: string, log: Log, ownChannel: (prefix: string) => string, limits: Partial<LinkLimits> = {}): Promise<PostgresLink> {
    const { default: pg } = await loadClient<{ readonly default: Pg }>(clientPackage);
    const link = new PostgresLink(pg, url, name, log, ownChannel, { ...defaultLimits, ...limits });
    try {
      await link.#listen();
    } catch (error) {
      await link.close();
      throw error;
    }
    return link;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  isConnected(): boolean {
    return true;
  }

  classify(error: unknown): "not-executed" | "unknown" | "final" {
    if (error instanceof NotConnected) return "not-executed";
    const { code } = error as { readonly code?: unknown };
    // Without an SQLSTATE the connection was lost; 08, 53 and 57 are about the server, 40 about concurrent transactions.
    if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) || /^(08|57)/.test(code)) return "unknown";
    return /^(40|53)/.test(code) ? "not-executed" : "final";
  }

  /** Runs one statement; retries it after a transient error. */
  run(text: string, values: readonly unknown[] = [], since?: number): Promise<readonly Row[]> {
    return retryOperation(this, () => this.once(text, values), since);
  }

  async once(text: string, values: readonly unknown[] = [], timeoutMs = attemptMs): Promise<readonly Row[]> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new NotConnected((error as Error).message, { cause: error });
    });
    try {
      const { rows } = await client.query({ text, values, query_timeout: timeoutMs });
      client.release();
      return rows;
    } catch (error) {
      // After a timeout the connection still waits for the response.
      client.release(true);
      throw error;
    }
  }

  /** Calls `handle` with the payloads of notifications; notifications are lost while the connection is down. */
  onNotification(handle: (payload: string) => void): () => void {
    this.#listeners.add(handle);
    return () => void this.#listeners.delete(handle);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#session;
    let cancel = (): void => undefined;
    const timeout = new Promise<void>((resolve) => (cancel = systemClock.after(closeMs, resolve)));
    await Promise.race([Promise.allSettled([session?.end(), this.#pool.end()]), timeout]);
    cancel();
    session?.connection.stream.destroy();
  }

  async #listen(): Promise<void> {
    const session = new this.#pg.Client(this.#options);
    session.on("notification", ({ payload = "" }) => {
      for (const handle of this.#listeners)
        // An exception would stop the parser of the connection permanently.
        try {
          handle(payload);
        } catch (error) {
          this.#log.write("ERROR", "sluice.cluster", `Cannot handle a notification from PostgreSQL: ${(error as Error).message}`);
        }
    });
    session.on("error", () => undefined);
    try {
      await session.connect();
      for (const channel of this.#channels) await session.query(`listen ${channel}`);
    } catch (error) {
      session.connection.stream.destroy();
      throw error;
    }
    if (this.#isClosed) return session.connection.stream.destroy();
    this.#session = session;
    const cancelCheck = this.#checkLater(session);
    session.on("end", () => {
      cancelCheck();
      if (this.#isClosed) return;
      this.#log.write("WARN", "sluice.cluster", "Lost the connection to PostgreSQL; reconnecting");
      this.#listenAgain();
    });
  }

  /** Ends the session when it does not respond; returns a function that stops the checks. */
  #checkLater(session: Client): () => void {
    let cancel = (): void => undefined;
    const check = (): void => {
      session.query("select 1").then(later, () => session.connection.stream.destroy());
    };
    const later = (): void => {
      cancel = systemClock.after(this.#limits.checkEveryMs, check);
    };
    later();
    return () => cancel();
  }

  #listenAgain(): void {
    systemClock.after(reconnectMs, () => {
      if (this.#isClosed) return;
      this.#listen().then(
        () => this.#log.write("INFO", "sluice.cluster", "Reconnected to PostgreSQL"),
        () => this.#listenAgain(),
      );
    });
  }
}
