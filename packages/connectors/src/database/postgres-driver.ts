// PostgreSQL through the packages pg and pg-cursor.
import type { ClientPackage } from "@sluice/engine/spi";
import { exactNumber, isoText } from "./bound-value.ts";
import type { Driver, NotificationListener, Row, Session, SqlResult, Statement } from "./database.ts";
import { isConnectionProblem } from "./sql-failure.ts";

export const pgPackage: ClientPackage = { package: "pg", version: "8.23.1", reason: "the PostgreSQL client" };
export const pgCursorPackage: ClientPackage = { package: "pg-cursor", version: "2.22.0", reason: "streaming of large PostgreSQL results" };

interface PgField {
  readonly name: string;
}
interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: Row[];
  readonly fields: readonly PgField[];
}
interface PgCursor {
  read(count: number): Promise<Row[]>;
  close(): Promise<void>;
}
interface PgNotification {
  readonly channel: string;
  readonly payload?: string;
}
interface PgClient {
  connect(): Promise<void>;
  query(query: string | Prepared, values: readonly unknown[], done: (error: Error | null | undefined, result: PgResult | PgResult[]) => void): void;
  query(query: string): Promise<PgResult | PgResult[]>;
  query(query: PgCursor): PgCursor;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "end", listener: () => void): void;
  on(event: "notification", listener: (note: PgNotification) => void): void;
  escapeIdentifier(text: string): string;
  readonly connection: { readonly stream: { destroy(): void } };
}
type Parser = (text: string) => unknown;
interface PgTypes {
  getTypeParser(oid: number, format?: string): Parser;
  readonly arrayParser: { create(text: string, parse: Parser): { parse(): unknown } };
}
export interface PgModule {
  readonly default: { readonly Client: new (config: Readonly<Record<string, unknown>>) => PgClient; readonly types: PgTypes };
}
export interface PgCursorModule {
  readonly default: new (text: string, values: readonly unknown[], config?: Readonly<Record<string, unknown>>) => PgCursor;
}

/** Converters for the types that the runtime interprets; all others keep the conversion of pg. */
const scalarParsers: Readonly<Record<number, Parser>> = {
  20: exactNumber,
  1700: exactNumber,
  1082: (text) => text,
  1083: (text) => text,
  1266: (text) => text,
  1114: isoText,
};
/** Array types by element type. */
const arrayElements: Readonly<Record<number, number>> = { 1016: 20, 1231: 1700, 1182: 1082, 1183: 1083, 1270: 1266, 1115: 1114 };

function typesOf(types: PgTypes): Pick<PgTypes, "getTypeParser"> {
  return {
    getTypeParser(oid, format) {
      const scalar = scalarParsers[oid];
      if (scalar !== undefined) return scalar;
      const element = scalarParsers[arrayElements[oid] ?? 0];
      if (element !== undefined) return (text) => types.arrayParser.create(text, (item) => (item === null ? null : element(item))).parse();
      return types.getTypeParser(oid, format);
    },
  };
}

export function postgresDriver(pg: PgModule, cursors: PgCursorModule, config: Readonly<Record<string, unknown>>): Driver {
  const { Client, types } = pg.default;
  return {
    dialect: "postgres",
    versionQuery: "select 'PostgreSQL ' || current_setting('server_version') as version",
    tablesQuery:
      "select table_name as name from information_schema.tables where table_schema = any(current_schemas(false)) and lower(table_name) like lower($1) order by 1 limit $2",
    async connect() {
      const client = new Client({ ...config, types: typesOf(types) });
      const session = new PostgresSession(client, cursors, types);
      await client.connect();
      return session;
    },
  };
}

/** A prepared statement. Its properties are inherited: the client copies the descriptors of all own properties for each query, which is slow. */
interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** Names by statement: the same statement has the same name in every session. */
const preparedStatements = new Map<string, Prepared>();
const maxPrepared = 1000;

function preparedOf(text: string): Prepared | undefined {
  const existing = preparedStatements.get(text);
  if (existing !== undefined || preparedStatements.size >= maxPrepared) return existing;
  const prepared = Object.create({ name: `sluice_${preparedStatements.size + 1}`, text }) as Prepared;
  preparedStatements.set(text, prepared);
  return prepared;
}

class PostgresSession implements Session {
  readonly #client: PgClient;
  readonly #cursors: PgCursorModule;
  readonly #types: PgTypes;
  isBroken = false;

  constructor(client: PgClient, cursors: PgCursorModule, types: PgTypes) {
    this.#client = client;
    this.#cursors = cursors;
    this.#types = types;
    // An unhandled connection error would terminate the process.
    client.on("error", () => (this.isBroken = true));
    client.on("end", () => (this.isBroken = true));
  }

  /** Uses the client's callback API, because its promise API creates two promises per query. */
  execute({ text, values, isFixed }: Statement): Promise<SqlResult> {
    const prepared = isFixed && values.length > 0 ? preparedOf(text) : undefined;
    return new Promise((resolve, reject) =>
      this.#client.query(prepared ?? text, values, (error, result) => {
        if (error === null || error === undefined) return resolve(resultOf(result));
        // A table changed since the statement was prepared, so the statement failed before it was executed. It cannot be retried inside a transaction.
        if (prepared !== undefined && (error as { code?: string }).code === "0A000" && /cached plan/.test(error.message)) this.isBroken = true;
        if (isConnectionProblem(error)) this.isBroken = true;
        reject(error);
      }),
    );
  }

  async *stream({ text, values }: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    const cursor = this.#client.query(new this.#cursors.default(text, values, { types: typesOf(this.#types) }));
    try {
      for (let rows = await cursor.read(fetchSize); rows.length > 0; rows = await cursor.read(fetchSize)) yield* rows;
    } catch (error) {
      if (isConnectionProblem(error)) this.isBroken = true;
      throw error;
    } finally {
      if (!this.isBroken) await cursor.close();
    }
  }

  async listen(channel: string, { notified, lost }: NotificationListener): Promise<void> {
    this.#client.on("notification", ({ payload }) => notified(payload ?? ""));
    this.#client.on("end", lost);
    await this.#client.query(`listen ${this.#client.escapeIdentifier(channel)}`);
  }

  destroy(): void {
    this.isBroken = true;
    this.#client.connection.stream.destroy();
  }
}

function resultOf(result: PgResult | PgResult[]): SqlResult {
  // A query with several statements returns the result of the last one.
  const { rows, fields, rowCount, command } = Array.isArray(result) ? (result.at(-1) as PgResult) : result;
  const hasRows = fields.length > 0 || command === "SELECT";
  return { columns: hasRows ? fields.map(({ name }) => name) : undefined, rows, updateCount: hasRows ? undefined : (rowCount ?? 0) };
}
