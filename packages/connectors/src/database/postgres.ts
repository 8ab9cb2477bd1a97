import { defineConnection, type ConnectionContext } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { poolFields, serverFields, tlsFields, tlsOptions } from "./connection-fields.ts";
import { databaseConnection, openDatabase } from "./database-connection.ts";
import { dataSourceFields } from "./data-source-fields.ts";
import { pgCursorPackage, pgPackage, postgresDriver, type PgCursorModule, type PgModule } from "./postgres-driver.ts";
import type { SqlDatabase } from "./sql-database.ts";

export const postgresFields = {
  ...serverFields,
  port: f.integer({ doc: "Port of the server.", default: 5432, min: 1, max: 65_535 }),
  schema: f.string({ doc: "Search path: schemas in which names are looked up, separated by commas.", group: "advanced" }),
  ...tlsFields,
  ...poolFields,
};

export type PostgresValues = Values<typeof postgresFields>;

export const postgres = defineConnection({
  ...databaseConnection,
  type: "postgres",
  kinds: ["sql", "postgres"],
  title: "PostgreSQL",
  summary: "A PostgreSQL database.",
  icon: "database",
  fields: postgresFields,
  beans: [
    {
      names: ["org.postgresql.ds.PGSimpleDataSource", "org.postgresql.ds.PGPoolingDataSource"],
      fields: (properties: Readonly<Record<string, string>>) => dataSourceFields(properties, "postgres"),
    },
  ],
  verifiedAgainst: ["PostgreSQL 15"],
  needs: [pgPackage, pgCursorPackage],
  open: openPostgres,
});

export async function openPostgres(values: PostgresValues, context: ConnectionContext): Promise<SqlDatabase> {
  const pg = await context.load<PgModule>(pgPackage);
  const cursors = await context.load<PgCursorModule>(pgCursorPackage);
  return openDatabase(postgresDriver(pg, cursors, pgConfig(values)), values, context);
}

/** The configuration of a pg client, independent of the environment. */
export function pgConfig(values: PostgresValues): Readonly<Record<string, unknown>> {
  const { host, port, database, user, password, schema, connectTimeout } = values;
  return {
    host,
    port,
    user: user ?? "postgres",
    database: database ?? user ?? "postgres",
    // For an undefined password, pg reads the environment and the file .pgpass.
    password: password ?? "",
    ssl: tlsOptions(values) ?? false,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    application_name: "sluice",
    ...(schema === undefined ? {} : { options: `-c search_path=${schema.replaceAll(/[\\ ]/g, (character) => `\\${character}`)}` }),
  };
}
