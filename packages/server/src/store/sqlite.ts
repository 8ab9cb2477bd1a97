// SQLite through the API of node:sqlite: the built-in one where the running Node has it, else the package that offers the
// same API. Parameters are positional everywhere, for that is where the two agree.

export type SqlValue = null | number | string | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (path: string) => Database;
}

/** Opens a database file with whichever driver there is. */
export async function openDatabase(path: string): Promise<Database> {
  const { DatabaseSync } = await loadDriver();
  return new DatabaseSync(path);
}

async function loadDriver(): Promise<Driver> {
  // The names are computed so that neither the compiler nor a bundler insists on both being there.
  const builtIn = "node:sqlite";
  const fallback = "@photostructure/sqlite";
  try {
    return (await import(builtIn)) as Driver;
  } catch {
    try {
      return (await import(fallback)) as Driver;
    } catch (error) {
      throw new Error(`the durable store needs node:sqlite (Node 22.13 or later) or the optional package ${fallback}, which is not installed`, {
        cause: error,
      });
    }
  }
}
