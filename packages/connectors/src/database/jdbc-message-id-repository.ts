// Stores processed message keys in a database table, as Camel does, so that several runtimes share them.
import { defineBean, isFlowError, type Connection, type IdempotentRepository } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { Dialect, Statement } from "./database.ts";
import { checkTableName, ensureTable, keyType } from "./repository-tables.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { UncertainKeys } from "./uncertain-keys.ts";

const notChangeable = "the statements are fixed; use tableName for another table";

export const jdbcMessageIdRepository = defineBean({
  names: ["org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository", "JdbcMessageIdRepository"],
  kind: "idempotent-repository",
  title: "JDBC repository",
  summary: "Stores processed keys in a database table, shared by all runtimes that use it.",
  group: "repository",
  since: "0.1",
  properties: {
    dataSource: f.string({ doc: "Name of the connection or of a bean; optional when there is only one connection.", connection: ["sql"] }),
    processorName: f.string({ doc: "Namespace of the keys: repositories with the same name share their keys.", default: "sluice" }),
    tableName: f.string({ doc: "Name of the table.", default: "CAMEL_MESSAGEPROCESSED" }),
    createTableIfNotExists: f.boolean({
      doc: "Whether a missing table is created. In MySQL and MariaDB the key columns of an existing table need a case-sensitive collation such as `utf8mb4_bin`.",
      default: true,
    }),
    tableExistsString: f.unsupported(notChangeable),
    createString: f.unsupported(notChangeable),
    queryString: f.unsupported(notChangeable),
    insertString: f.unsupported(notChangeable),
    deleteString: f.unsupported(notChangeable),
    clearString: f.unsupported(notChangeable),
    jdbcTemplate: f.unsupported("it needs a Java object; name the connection with dataSource"),
    transactionTemplate: f.unsupported("it needs a Java object; remove it: each key is added with a single atomic statement, so no transaction is needed"),
  },
  constructorProperties: ["dataSource", "processorName"],
  create({ dataSource, processorName, tableName, createTableIfNotExists }, _host, scope) {
    checkTableName(tableName, "tableName");
    const connection = scope.connection<SqlDatabase>({ reference: dataSource, kinds: ["sql"], inline: {} });
    return new MessageIds(connection, tableName, processorName, createTableIfNotExists);
  },
});

class MessageIds implements IdempotentRepository {
  readonly #connection: Connection<SqlDatabase>;
  readonly #table: string;
  readonly #processor: string;
  readonly #createsTable: boolean;
  readonly #uncertain = new UncertainKeys();
  /** The database in which the table is known to exist. */
  #preparedDatabase: SqlDatabase | undefined = undefined;

  constructor(connection: Connection<SqlDatabase>, table: string, processor: string, createsTable: boolean) {
    this.#connection = connection;
    this.#table = table;
    this.#processor = processor;
    this.#createsTable = createsTable;
  }

  add(key: string): Promise<boolean> {
    return this.#uncertain.add(key, () => this.#insert(key));
  }

  /** One statement: if two clients add the same key at once, the primary key of the table accepts only one. */
  async #insert(key: string): Promise<boolean> {
    const database = await this.#database();
    const fromClause = database.dialect === "mysql" ? " from dual" : "";
    const text = `insert into ${this.#table} (processorName, messageId, createdAt) select #1, #2, #3${fromClause} where not exists (select 1 from ${this.#table} where processorName = #4 and messageId = #5)`;
    try {
      const values = [this.#processor, key, timestampOf(database.dialect), this.#processor, key];
      const { updateCount } = await database.execute(statementOf(text, values, database.dialect));
      return updateCount === 1;
    } catch (error) {
      if (isFlowError(error) && error.code === "sql-duplicate-key") return false;
      throw error;
    }
  }

  async contains(key: string): Promise<boolean> {
    const database = await this.#database();
    const text = `select 1 from ${this.#table} where processorName = #1 and messageId = #2`;
    const { rows } = await database.execute(statementOf(text, [this.#processor, key], database.dialect));
    return rows.length > 0;
  }

  remove(key: string): Promise<void> {
    return this.#uncertain.remove(key, () => this.#delete(key));
  }

  async #delete(key: string): Promise<void> {
    const database = await this.#database();
    await database.execute(statementOf(`delete from ${this.#table} where processorName = #1 and messageId = #2`, [this.#processor, key], database.dialect));
  }

  confirm(): void {}

  async #database(): Promise<SqlDatabase> {
    const database = await this.#connection.client();
    if (this.#preparedDatabase === database || !this.#createsTable) return database;
    const timeType = database.dialect === "postgres" ? "timestamp with time zone" : database.dialect === "mysql" ? "timestamp null" : "text";
    const key = `${keyType(database.dialect)} not null`;
    const columns = `processorName ${key}, messageId ${key}, createdAt ${timeType}, primary key (processorName, messageId)`;
    await ensureTable(database, this.#table, columns);
    this.#preparedDatabase = database;
    return database;
  }
}

const timestampOf = (dialect: Dialect): string => (dialect === "mysql" ? new Date().toISOString().slice(0, -1).replace("T", " ") : new Date().toISOString());

/** PostgreSQL cannot infer the types of parameters in a select list, so they are cast. */
function statementOf(text: string, values: readonly unknown[], dialect: Dialect): Statement {
  const types = ["varchar", "varchar", "timestamptz", "varchar", "varchar"];
  const native = text.replaceAll(/#(\d)/g, (_, number: string) => (dialect === "postgres" ? `cast($${number} as ${types[Number(number) - 1]})` : "?"));
  return { text: native, values, isFixed: true };
}
