// Behavior shared by all database connection types.
import type { ConnectionContext } from "@sluice/engine/spi";
import type { Driver } from "./database.ts";
import type { PoolOptions } from "./session-pool.ts";
import { SqlDatabase } from "./sql-database.ts";

/** A connection counts as open once its server has responded. */
export async function openDatabase(driver: Driver, options: PoolOptions, { host, signal, disconnected }: ConnectionContext): Promise<SqlDatabase> {
  const database = new SqlDatabase(driver, options, host.clock, disconnected);
  try {
    await database.version(signal);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export const databaseConnection = {
  kinds: ["sql"],
  group: "database",
  since: "0.1",
  close: async (database: SqlDatabase): Promise<void> => database.close(),
  check: (database: SqlDatabase, signal: AbortSignal): Promise<string> => database.version(signal),
  browses: ["tables"],
  browse: (database: SqlDatabase, what: string, prefix: string, limit: number): Promise<readonly string[]> =>
    what === "tables" ? database.tables(prefix, limit) : Promise.resolve([]),
} as const;
