import { defineConnection, type ConnectionContext } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { poolFields } from "./connection-fields.ts";
import { databasePath, prepareDatabaseFolder, type ConnectionSettings } from "./database-folders.ts";
import { databaseConnection, openDatabase } from "./database-connection.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { sqliteDriver, sqliteModule } from "./sqlite-driver.ts";

/** The name of an in-memory database. */
export const memory = ":memory:";

export const sqliteFields = {
  file: f.string({
    doc: "Path of the database file, created if missing. It must be in a folder of SERVICE_DATABASES or in `databases` of the data directory; a relative path is resolved against the first of them. `:memory:` keeps the data in memory while the connection is open.",
    required: true,
    examples: ["orders.db"],
  }),
  busyTimeout: f.duration({ doc: "How long to wait while another connection writes.", default: 10_000, group: "advanced" }),
  ...poolFields,
};

export type SqliteValues = Values<typeof sqliteFields>;

export const sqliteConnection = (settings: ConnectionSettings = {}) =>
  defineConnection({
    ...databaseConnection,
    type: "sqlite",
    title: "SQLite",
    summary: "A database in a file, without a server process.",
    icon: "database",
    fields: sqliteFields,
    beans: [],
    verifiedAgainst: ["SQLite 3"],
    needs: [],
    open: (values: SqliteValues, context: ConnectionContext) => openSqlite(values, context, settings),
  });

export async function openSqlite(values: SqliteValues, context: ConnectionContext, settings: ConnectionSettings): Promise<SqlDatabase> {
  const { file, busyTimeout, max, ...pool } = values;
  const isMemory = file === memory;
  const path = isMemory ? file : databasePath(file, settings);
  if (!isMemory) await prepareDatabaseFolder(path, settings);
  // Each session of an in-memory database would be a separate database that is lost with the session.
  const limits = isMemory ? { ...pool, max: 1, idleTimeout: 2 ** 31 - 1 } : { ...pool, max };
  return openDatabase(sqliteDriver(sqliteModule(), { path, busyTimeout }), limits, context);
}
