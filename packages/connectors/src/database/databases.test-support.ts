// The databases available on this machine, each with an empty schema for the tests of one file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import type { BeanDeclaration, ConnectionDeclaration, Host } from "@sluice/engine/spi";
import { flow, realTimeHost, serverFor, testConnections, type FakeHost, type FlowUnderTest, type TestConnection, type TestServer } from "@sluice/testkit";
import { jdbc } from "../jdbc/jdbc.ts";
import { sql } from "../sql/sql.ts";
import { sqlStored } from "../sql-stored/sql-stored.ts";
import type { Dialect, Row } from "./database.ts";
import { mysql } from "./mysql.ts";
import { postgres } from "./postgres.ts";
import { sqliteConnection } from "./sqlite.ts";
import type { SqlDatabase } from "./sql-database.ts";

export interface TestDatabase {
  readonly dialect: Dialect;
  readonly server: TestServer | undefined;
  readonly connection: TestConnection;
  readonly host: Host & { readonly log: FakeHost["log"] };
  /** Executes a statement without parameters. */
  query(text: string): Promise<readonly Row[]>;
  flow(yaml: string, beans?: readonly BeanDeclaration[]): Promise<FlowUnderTest>;
  /** Stops all flows created so far, so that a failed test does not affect the next one. */
  stopFlows(): Promise<void>;
  end(): Promise<void>;
}

const load = (clientPackage: { readonly package: string }): Promise<unknown> => import(clientPackage.package);
const schema = `sluice_${process.pid}_${Date.now().toString(36)}`;
let schemas = 0;

export async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-sqlite-"));
  const database = databaseWith("sqlite", sqliteConnection(), { file: join(folder, "test.db") }, undefined);
  return {
    ...database,
    async end() {
      await database.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const openers = { SQLite: sqliteDatabase, PostgreSQL: postgresDatabase, MariaDB: mariadbDatabase };

/** Runs the tests in each of these databases; they are skipped when the machine has no such server. */
export async function inDatabases(title: string, names: readonly (keyof typeof openers)[], tests: (database: TestDatabase) => void): Promise<void> {
  for (const name of names) {
    const database = await openers[name]();
    // Skipped tests are collected too, so that each is counted; the empty object is never used.
    describe.skipIf(database === undefined)(`${title} in ${name} (needs ${name})`, () => tests(database ?? ({} as TestDatabase)));
  }
}

/** Undefined when the machine has no PostgreSQL. */
async function postgresDatabase(): Promise<TestDatabase | undefined> {
  const server = await serverFor("postgres");
  if (server === undefined) return undefined;
  const name = `${schema}_${++schemas}`;
  const values = { host: server.host, port: String(server.port), user: "postgres", database: "postgres" };
  const setup = databaseWith("postgres", postgres, values, server);
  await setup.query(`create schema ${name}`);
  const database = databaseWith("postgres", postgres, { ...values, schema: name }, server);
  return {
    ...database,
    async end() {
      await database.end();
      await setup.query(`drop schema ${name} cascade`);
      await setup.end();
      await server.end();
    },
  };
}

/** Undefined when the machine has no MariaDB. */
async function mariadbDatabase(): Promise<TestDatabase | undefined> {
  const server = await serverFor("mariadb");
  if (server === undefined) return undefined;
  const name = `${schema}_${++schemas}`;
  const values = { host: server.host, port: String(server.port), user: "root" };
  const setup = databaseWith("mysql", mysql, values, server);
  await setup.query(`create database ${name} character set utf8mb4`);
  const database = databaseWith("mysql", mysql, { ...values, database: name }, server);
  return {
    ...database,
    async end() {
      await database.end();
      await setup.query(`drop database ${name}`);
      await setup.end();
      await server.end();
    },
  };
}

function databaseWith(
  dialect: Dialect,
  declaration: ConnectionDeclaration,
  values: Readonly<Record<string, string>>,
  server: TestServer | undefined,
): TestDatabase {
  const host = realTimeHost();
  const connection: TestConnection = { declaration, values };
  const connections = testConnections(host, { db: connection }, load);
  Object.assign(host, { connections });
  const flows: FlowUnderTest[] = [];
  const stopFlows = async (): Promise<void> => {
    for (const created of flows.splice(0)) await created.stop();
  };
  return {
    dialect,
    server,
    connection,
    host,
    async query(text) {
      const client = await connections.find<SqlDatabase>({ reference: "db", kinds: ["sql"] }).client();
      return (await client.execute({ text, values: [], isFixed: false })).rows;
    },
    async flow(yaml, beans = []) {
      const created = await flow(yaml, { host: host as unknown as FakeHost, connectors: [sql, sqlStored, jdbc], beans });
      flows.push(created);
      return created;
    },
    stopFlows,
    async end() {
      await stopFlows();
      await connections.close();
    },
  };
}
