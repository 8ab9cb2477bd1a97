// Stores the groups of an aggregate in two tables of a database, named and laid out as Camel does. The content of the column `exchange` is
// JSON, not Java's serialization, so the tables cannot be shared with Camel.
import { CompileError, defineBean, isFlowError, type Connection } from "@sluice/engine/spi";
import type { AggregatedGroup, AggregationRepository, GroupState, StoredGroup } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { decodeData, encodeData } from "../queue/stored-data.ts";
import { restoreMessage, storeMessage, type StoredMessage } from "../queue/stored-message.ts";
import { storableProperties } from "../queue/stored-part.ts";
import type { Statement } from "./database.ts";
import { checkTableName, ensureTable, keyType } from "./repository-tables.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** Maximum size of a stored group in bytes. */
const maxBytes = 16 * 1024 * 1024;
const needsJava = "it needs a Java object; name the connection with dataSource";

export const jdbcAggregationRepository = defineBean({
  names: ["org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository", "JdbcAggregationRepository"],
  kind: "aggregation-repository",
  title: "JDBC aggregation repository",
  summary: "Stores the groups of an aggregate in a database, so that they survive a restart.",
  group: "repository",
  since: "0.2",
  properties: {
    dataSource: f.string({ doc: "Name of the connection or of a bean; optional when there is only one connection." }),
    repositoryName: f.string({
      doc: "Table of open groups; `<repositoryName>_completed` stores completed groups until their run succeeds. Each aggregate needs its own name.",
      required: true,
    }),
    createTableIfNotExists: f.boolean({
      doc: "Whether missing tables are created. In MySQL and MariaDB the column `id` of existing tables needs a case-sensitive collation such as `utf8mb4_bin`.",
      default: true,
    }),
    useRecovery: f.boolean({ doc: "Whether completed groups are stored until their run succeeds, and run again after a failure.", default: true }),
    recoveryInterval: f.duration({ doc: "How often the repository is checked for groups to run again.", default: 5000 }),
    maximumRedeliveries: f.integer({ doc: "Maximum number of times a group is run again before it is sent to deadLetterUri; no limit by default.", min: 1 }),
    deadLetterUri: f.string({ doc: "Endpoint for groups that failed too many times." }),
    storeBodyAsText: f.boolean({ doc: "Whether the tables have a column `body` with the body as text, for queries.", default: false }),
    headersToStoreAsText: f.string({ doc: "Headers with their own column, for queries; separated by commas." }),
    returnOldExchange: f.boolean({ doc: "Accepted but ignored.", default: false }),
    transactionManager: f.string({ doc: "Accepted but ignored: changes to both tables are one transaction of the data source." }),
    propagationBehaviorName: f.string({ doc: "Accepted but ignored: changes to both tables are one transaction of the data source." }),
    jdbcOptimisticLockingExceptionMapper: f.string({ doc: "Accepted but ignored: conflicts are detected by the version of a group." }),
    allowSerializedHeaders: f.boolean({ doc: "Accepted but ignored: headers are stored as JSON.", default: false }),
    deserializationFilter: f.string({ doc: "Accepted but ignored: groups are stored as JSON." }),
    lobHandler: f.unsupported(needsJava),
    jdbcTemplate: f.unsupported(needsJava),
  },
  constructorProperties: ["transactionManager", "repositoryName", "dataSource"],
  create({ dataSource, repositoryName, ...options }, _host, scope) {
    checkTableName(repositoryName, "repositoryName");
    const columns = (options.headersToStoreAsText ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
    for (const column of columns)
      if (!/^(?!(?:id|exchange|version|body)$)[A-Za-z_]\w{0,62}$/i.test(column))
        throw new CompileError(
          "option-invalid",
          `header '${column}' cannot be a column: use letters, digits and underscores, and none of id, exchange, version and body`,
          {
            option: "headersToStoreAsText",
          },
        );
    if ((options.maximumRedeliveries === undefined) !== (options.deadLetterUri === undefined))
      throw new CompileError("option-missing", "maximumRedeliveries and deadLetterUri belong together: set both or neither", { option: "deadLetterUri" });
    const connection = scope.connection<SqlDatabase>({ reference: dataSource, kinds: ["sql"], inline: {} });
    return new GroupTables(connection, repositoryName, { ...options, columns });
  },
});

interface TableOptions {
  readonly createTableIfNotExists: boolean;
  readonly useRecovery: boolean;
  readonly recoveryInterval: number;
  readonly maximumRedeliveries?: number | undefined;
  readonly deadLetterUri?: string | undefined;
  readonly storeBodyAsText: boolean;
  /** Headers with a column. */
  readonly columns: readonly string[];
}

class GroupTables implements AggregationRepository {
  readonly #connection: Connection<SqlDatabase>;
  readonly #tables: Readonly<Record<GroupState, string>>;
  readonly #options: TableOptions;
  readonly recovery: AggregationRepository["recovery"];
  /** The database whose tables are known to exist. */
  #preparedDatabase: SqlDatabase | undefined = undefined;

  constructor(connection: Connection<SqlDatabase>, table: string, options: TableOptions) {
    this.#connection = connection;
    this.#tables = { open: table, completed: `${table}_completed` };
    this.#options = options;
    const { useRecovery, recoveryInterval: intervalMs, maximumRedeliveries = 0, deadLetterUri } = options;
    this.recovery = useRecovery ? { intervalMs, maximumRedeliveries, deadLetterUri } : undefined;
  }

  async list(state: GroupState): Promise<readonly string[]> {
    const database = await this.#database();
    const { rows } = await database.execute(statement(database, `select id from ${this.#tables[state]} order by id`));
    return rows.map(({ id }) => String(id));
  }

  async get(state: GroupState, id: string): Promise<StoredGroup | undefined> {
    const database = await this.#database();
    const { rows } = await database.execute(statement(database, `select exchange, version from ${this.#tables[state]} where id = #`, id));
    const [row] = rows;
    return row === undefined ? undefined : { ...decodeGroup(row["exchange"] as Uint8Array), version: Number(row["version"]) };
  }

  async put(key: string, group: AggregatedGroup, version: number | undefined): Promise<boolean> {
    const database = await this.#database();
    if (version === undefined) return wasInserted(database.execute(this.#insert(database, "open", key, group, 1)));
    const values = this.#valuesOf(group, version + 1);
    const assignments = Object.keys(values).map((column) => `${column} = #`);
    const text = `update ${this.#tables.open} set ${assignments.join(", ")} where id = # and version = #`;
    const { updateCount } = await database.execute(statement(database, text, ...Object.values(values), key, version));
    return updateCount === 1;
  }

  async complete(key: string, id: string, group: AggregatedGroup, version: number | undefined): Promise<boolean> {
    const database = await this.#database();
    const transaction = await database.begin();
    try {
      if (version !== undefined) {
        const removal = statement(database, `delete from ${this.#tables.open} where id = # and version = #`, key, version);
        if ((await transaction.execute(removal)).updateCount !== 1) {
          await transaction.rollback();
          return false;
        }
      }
      if (this.#options.useRecovery) await transaction.execute(this.#insert(database, "completed", id, group, 1));
      await transaction.commit();
      return true;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async confirm(id: string): Promise<void> {
    if (!this.#options.useRecovery) return;
    const database = await this.#database();
    await database.execute(statement(database, `delete from ${this.#tables.completed} where id = #`, id));
  }

  #insert(database: SqlDatabase, state: GroupState, id: string, group: AggregatedGroup, version: number): Statement {
    const values = { id, ...this.#valuesOf(group, version) };
    const placeholders = Object.keys(values).map(() => "#");
    return statement(
      database,
      `insert into ${this.#tables[state]} (${Object.keys(values).join(", ")}) values (${placeholders.join(", ")})`,
      ...Object.values(values),
    );
  }

  #valuesOf(group: AggregatedGroup, version: number): Readonly<Record<string, unknown>> {
    const { storeBodyAsText, columns } = this.#options;
    const { body, headers } = group.message;
    const text = (value: unknown): string | null => (value === null || value === undefined ? null : asText(value));
    return {
      exchange: encodeGroup(group),
      version,
      ...(storeBodyAsText ? { body: text(body) } : {}),
      ...Object.fromEntries(columns.map((name) => [name, text(headers.get(name))])),
    };
  }

  async #database(): Promise<SqlDatabase> {
    const database = await this.#connection.client();
    const { createTableIfNotExists, useRecovery, storeBodyAsText, columns } = this.#options;
    if (this.#preparedDatabase === database || !createTableIfNotExists) return database;
    const bytesType = { postgres: "bytea", mysql: "longblob", sqlite: "blob" }[database.dialect];
    const textType = database.dialect === "mysql" ? "longtext" : "text";
    const textColumns = [...(storeBodyAsText ? ["body"] : []), ...columns].map((column) => `, ${column} ${textType}`).join("");
    const definition = `id ${keyType(database.dialect)} not null, exchange ${bytesType} not null, version bigint not null${textColumns}, primary key (id)`;
    await ensureTable(database, this.#tables.open, definition);
    if (useRecovery) await ensureTable(database, this.#tables.completed, definition);
    this.#preparedDatabase = database;
    return database;
  }
}

/** False when the row already exists because another process stored the group first. */
async function wasInserted(pending: Promise<unknown>): Promise<boolean> {
  try {
    await pending;
    return true;
  } catch (error) {
    if (isFlowError(error) && error.code === "sql-duplicate-key") return false;
    throw error;
  }
}

/** Each `#` is a parameter. */
function statement({ dialect }: SqlDatabase, text: string, ...values: readonly unknown[]): Statement {
  let count = 0;
  return { text: text.replaceAll("#", () => (dialect === "postgres" ? `$${++count}` : "?")), values, isFixed: true };
}

function encodeGroup({ message, properties, dueAt }: AggregatedGroup): Uint8Array {
  const { kind, body, envelope } = storeMessage(message, {}, maxBytes);
  const record = { kind, body, envelope, properties: storableProperties(properties, maxBytes), ...(dueAt === undefined ? {} : { dueAt }) };
  return new TextEncoder().encode(encodeData(record, maxBytes * 2));
}

function decodeGroup(bytes: Uint8Array): AggregatedGroup {
  const { properties, dueAt, ...stored } = decodeData(new TextDecoder().decode(bytes)) as StoredMessage & { properties: object; dueAt?: number };
  return { message: restoreMessage(stored).message, properties: new Map(Object.entries(properties)), dueAt };
}
