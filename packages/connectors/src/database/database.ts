// The database interface of the sql connectors. One session is one connection to the server.
export type Dialect = "postgres" | "mysql" | "sqlite";

export type Row = Record<string, unknown>;

export interface SqlResult {
  /** Column names in order; undefined for statements that return no rows. */
  readonly columns: readonly string[] | undefined;
  readonly rows: readonly Row[];
  /** Number of changed rows; undefined when there is a result set. */
  readonly updateCount: number | undefined;
  /** The key generated for the first inserted row, for databases that report only that. */
  readonly insertId?: unknown;
  /** For procedure calls: every result set, in order. */
  readonly resultSets?: readonly (readonly Row[])[];
}

export interface Statement {
  /** In the parameter notation of the database. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** True when the text never changes, so that preparing it once per session pays off. */
  readonly isFixed: boolean;
}

export interface Session {
  /** True when the session is no longer usable. */
  readonly isBroken: boolean;
  execute(statement: Statement): Promise<SqlResult>;
  /** Streams the rows without holding them all in memory. The session must not be used otherwise until the stream ends. */
  stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row>;
  /** Closes the session immediately, even while a statement runs. */
  destroy(): void;
  /** For databases with notifications: calls back for each notification of a channel and when the connection is lost. */
  listen?(channel: string, listener: NotificationListener): Promise<void>;
}

export interface NotificationListener {
  notified(payload: string): void;
  lost(): void;
}

/** Creates sessions; implemented by each connection type. It throws driver errors, which `sqlFailure` converts to a FlowError. */
export interface Driver {
  readonly dialect: Dialect;
  connect(): Promise<Session>;
  /** Product name and version reported by the server. */
  readonly versionQuery: string;
  /** Lists tables whose names start with the parameter. */
  readonly tablesQuery: string;
}
