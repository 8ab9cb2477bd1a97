// MySQL and MariaDB through the package mysql2.
import type { ClientPackage } from "@sluice/engine/spi";
import { exactNumber, isoText } from "./bound-value.ts";
import type { Driver, Row, Session, SqlResult, Statement } from "./database.ts";
import { isConnectionProblem } from "./sql-failure.ts";

export const mysqlPackage: ClientPackage = { package: "mysql2", version: "3.24.5", reason: "the client for MySQL and MariaDB" };

interface MysqlField {
  readonly name: string;
  readonly columnType: number;
  readonly columnLength: number;
}
interface MysqlHeader {
  readonly affectedRows: number;
  readonly insertId: number | string;
}
type MysqlRows = Row[] | MysqlHeader | (Row[] | MysqlHeader)[];
type MysqlFields = readonly MysqlField[] | readonly (readonly MysqlField[] | undefined)[] | undefined;
type Done = (error: (Error & { errno?: number }) | null, rows: MysqlRows, fields: MysqlFields) => void;
interface MysqlConnection {
  connect(done: (error: Error | null) => void): void;
  execute(sql: string, values: readonly unknown[], done: Done): void;
  execute(
    sql: string,
    values: readonly unknown[],
  ): {
    stream(options: {
      highWaterMark: number;
    }): AsyncIterable<Row> & { on(event: "fields", listener: (fields: readonly MysqlField[]) => void): void; destroy(): void };
  };
  query(sql: string, done: Done): void;
  on(event: "error" | "end", listener: () => void): void;
  readonly stream: { destroy(): void };
}
export interface MysqlModule {
  createConnection(config: Readonly<Record<string, unknown>>): MysqlConnection;
}

// Column types of the MySQL protocol.
const tinyInt = 1;
const bigInt = 8;
const decimalTypes = [0, 246];
const timestamp = 7;
const dateTime = 12;
/** Error number of statements that cannot be prepared. */
const unsupportedPrepared = 1295;

export function mysqlDriver(mysql: MysqlModule, config: Readonly<Record<string, unknown>>): Driver {
  return {
    dialect: "mysql",
    versionQuery: "select concat(if(version() like '%MariaDB%', '', 'MySQL '), version()) as version",
    tablesQuery: "select table_name as name from information_schema.tables where table_schema = database() and table_name like ? order by 1 limit ?",
    async connect() {
      const connection = mysql.createConnection({
        ...config,
        // Dates as the server returns them: the driver would convert them to the time zone of the machine.
        dateStrings: true,
        timezone: "Z",
        supportBigNumbers: true,
        bigNumberStrings: true,
        charset: "utf8mb4",
        maxPreparedStatements: 256,
        multipleStatements: false,
        // A statement must not make the client read a local file (LOAD DATA LOCAL).
        flags: ["-LOCAL_FILES"],
      });
      const session = new MysqlSession(connection);
      await new Promise<void>((resolve, reject) => connection.connect((error) => (error === null ? resolve() : reject(error))));
      await session.execute({ text: "set time_zone = '+00:00'", values: [], isFixed: false });
      return session;
    },
  };
}

class MysqlSession implements Session {
  readonly #connection: MysqlConnection;
  isBroken = false;

  constructor(connection: MysqlConnection) {
    this.#connection = connection;
    const lost = (): void => void (this.isBroken = true);
    // An unhandled connection error would terminate the process.
    connection.on("error", lost);
    connection.on("end", lost);
  }

  execute({ text, values, isFixed }: Statement): Promise<SqlResult> {
    // A statement without values need not be prepared, and some cannot be.
    if (values.length === 0 && !isFixed) return this.#query(text);
    return new Promise((resolve, reject) => {
      // Text and values are separate arguments, because the client copies a query object several times.
      this.#connection.execute(text, values, (error, rows, fields) => {
        if (error === null) resolve(resultOf(rows, fields));
        else if (error.errno === unsupportedPrepared && values.length === 0) resolve(this.#query(text));
        else reject(this.#markBroken(error));
      });
    });
  }

  async *stream({ text, values }: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    const rows = this.#connection.execute(text, values).stream({ highWaterMark: fetchSize });
    let fields: readonly MysqlField[] = [];
    rows.on("fields", (found) => (fields = found));
    let isOver = false;
    try {
      for await (const row of rows) yield convertRow(row, fields);
      isOver = true;
    } catch (error) {
      // The server sends nothing after an error of its own.
      isOver = (error as { readonly sqlState?: string }).sqlState !== undefined && !isConnectionProblem(error);
      throw error;
    } finally {
      // The remaining rows are still being received: only a new session is guaranteed to be clean.
      if (!isOver) this.destroy();
    }
  }

  destroy(): void {
    this.isBroken = true;
    // The client's own `destroy` waits for the server to close the connection, so a statement in progress would never end.
    this.#connection.stream.destroy();
  }

  #query(text: string): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      this.#connection.query(text, (error, rows, fields) => (error === null ? resolve(resultOf(rows, fields)) : reject(this.#markBroken(error))));
    });
  }

  #markBroken(error: Error): Error {
    if (isConnectionProblem(error)) this.isBroken = true;
    return error;
  }
}

function resultOf(rows: MysqlRows, fields: MysqlFields): SqlResult {
  if (!Array.isArray(rows)) return { columns: undefined, rows: [], updateCount: rows.affectedRows, insertId: exactNumber(String(rows.insertId)) };
  // The result of a procedure call: one list of rows per result set, followed by a header.
  if (fields?.some((found) => found === undefined || Array.isArray(found)) === true) {
    const sets = (rows as (Row[] | MysqlHeader)[]).flatMap((set, index) =>
      Array.isArray(set) ? [set.map((row) => convertRow(row, (fields as readonly (readonly MysqlField[])[])[index] ?? []))] : [],
    );
    const names = ((fields as readonly (readonly MysqlField[] | undefined)[])[0] ?? []).map(({ name }) => name);
    const header = (rows as (Row[] | MysqlHeader)[]).find((set) => !Array.isArray(set)) as MysqlHeader | undefined;
    if (sets.length === 0) return { columns: undefined, rows: [], updateCount: header?.affectedRows ?? 0, resultSets: [] };
    return { columns: names, rows: sets[0] ?? [], updateCount: undefined, resultSets: sets };
  }
  const rowFields = fields as readonly MysqlField[];
  return { columns: rowFields.map(({ name }) => name), rows: (rows as Row[]).map((row) => convertRow(row, rowFields)), updateCount: undefined };
}

function convertRow(row: Row, fields: readonly MysqlField[]): Row {
  for (const { name, columnType, columnLength } of fields) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    if (columnType === tinyInt && columnLength === 1) row[name] = value !== 0;
    else if (columnType === bigInt || decimalTypes.includes(columnType)) row[name] = exactNumber(String(value));
    else if (columnType === timestamp) row[name] = new Date(`${isoText(String(value))}Z`);
    else if (columnType === dateTime) row[name] = isoText(String(value));
  }
  return row;
}
