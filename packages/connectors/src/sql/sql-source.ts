// Polls the rows of a query. The outcome of a row's run decides which statement follows; a row whose run failed is unchanged and found again.
import {
  Exchange,
  FlowError,
  Message,
  Run,
  settlementOf,
  toFlowError,
  type Endpoint,
  type EndpointScope,
  type Host,
  type Settlement,
  type Source,
  type SourceInput,
} from "@sluice/engine/spi";
import { OpenUnit } from "@sluice/engine/tools";
import type { Row } from "../database/database.ts";
import { databaseLink, type DatabaseLink } from "../database/database-link.ts";
import { onlyRow } from "../database/query-result.ts";
import type { Executor } from "../database/sql-database.ts";
import { SqlStatement } from "../database/sql-statement.ts";
import { polledSource } from "../polling/polled-source.ts";
import { rejectUntrustedStatement } from "./untrusted-statement.ts";
import { optionsOf } from "./sql-sink.ts";
import type { SqlOptions } from "./sql-shape.ts";

/** The result of one poll: the data of each message and, with transacted, its transaction. */
interface Batch {
  readonly messages: readonly unknown[];
  readonly unit: OpenUnit | undefined;
}

export function sqlSource(endpoint: Endpoint<SqlOptions>, scope: EndpointScope, host: Host): Source {
  rejectUntrustedStatement(endpoint);
  const receiver = new SqlReceiver(endpoint, scope, host);
  const { options, uri } = endpoint;
  const source = polledSource<Batch>({
    uri,
    logger: "sql",
    // A poll returns one item, the batch, whose rows are counted here.
    options: { ...options, maxMessagesPerPoll: 0 },
    host,
    prepare: async () => receiver.begin(),
    poll: () => receiver.poll(),
    problemOf: (error) => (receiver.isStopped ? undefined : toFlowError(error).message),
    each: (batch, routeInput) => receiver.deliverBatch(batch, routeInput),
    // An open transaction would keep its session and its locks.
    discard: async ({ unit }) => unit?.rollback(),
  });
  return {
    ...source,
    async stop() {
      receiver.end();
      await source.stop();
    },
  };
}

class SqlReceiver {
  readonly #options: SqlOptions;
  readonly #uri: string;
  readonly #host: Host;
  readonly #link: DatabaseLink;
  readonly #scope: EndpointScope;
  readonly #query: SqlStatement;
  readonly #followUps: Readonly<Record<"onConsume" | "onConsumeFailed" | "onConsumeBatchComplete", SqlStatement | undefined>>;
  isStopped = false;

  constructor({ options, uri }: Endpoint<SqlOptions>, scope: EndpointScope, host: Host) {
    this.#options = options;
    this.#uri = uri;
    this.#host = host;
    this.#scope = scope;
    this.#link = databaseLink(scope, options.dataSource);
    const compile = (text: string): SqlStatement => SqlStatement.fromFlow(text, optionsOf(options), (expression) => scope.expression(expression));
    const optional = (text: string | undefined): SqlStatement | undefined => (text === undefined ? undefined : compile(text));
    this.#query = compile(options.query);
    this.#followUps = {
      onConsume: optional(options.onConsume),
      onConsumeFailed: optional(options.onConsumeFailed),
      onConsumeBatchComplete: optional(options.onConsumeBatchComplete),
    };
  }

  begin(): void {
    this.isStopped = false;
  }

  end(): void {
    this.isStopped = true;
  }

  /** Reads the rows; returns no batch when there are none, so that the source counts the poll as idle. */
  async poll(): Promise<readonly Batch[]> {
    const unit = this.#options.transacted ? new OpenUnit() : undefined;
    try {
      const executor = await this.#executor(unit);
      const { rows } = await executor.execute(this.#query.bind({ exchange: this.#exchange(), data: null }, executor.dialect));
      const messages = this.#messagesOf(rows);
      if (messages.length > 0) return [{ messages, unit }];
      await unit?.commit();
      return [];
    } catch (error) {
      await unit?.rollback();
      throw error;
    }
  }

  /** Delivers the messages in order. */
  async deliverBatch({ messages, unit }: Batch, routeInput: SourceInput): Promise<boolean> {
    try {
      for (const [index, data] of messages.entries()) {
        if (this.isStopped) break;
        const exchange = await this.#deliver(data, routeInput, batchProperties(index, messages.length), unit);
        await this.#settle(exchange, data, unit);
      }
      await this.#afterBatch(unit);
      await unit?.commit();
    } catch (error) {
      await unit?.rollback();
      const { message } = toFlowError(error);
      this.#warn(unit === undefined ? `the remaining rows are left for the next poll: ${message}` : `the transaction was rolled back: ${message}`);
    }
    return true;
  }

  async #executor(unit: OpenUnit | undefined): Promise<Executor> {
    const { connection, database } = this.#link;
    return unit === undefined ? database() : unit.join(connection.id, async () => (await database()).begin());
  }

  #messagesOf(rows: readonly Row[]): readonly unknown[] {
    const { useIterator, outputType, routeEmptyResultSet, maxMessagesPerPoll } = this.#options;
    if (outputType === "SelectOne") return rows.length === 0 ? [] : [onlyRow(rows)];
    if (!useIterator) return rows.length === 0 && !routeEmptyResultSet ? [] : [rows];
    return maxMessagesPerPoll > 0 ? rows.slice(0, maxMessagesPerPoll) : rows;
  }

  async #deliver(data: unknown, routeInput: SourceInput, properties: ReadonlyMap<string, unknown>, unit: OpenUnit | undefined): Promise<Exchange> {
    const { outputHeader, exchangePattern } = this.#options;
    const message = new Message(outputHeader === undefined ? data : null);
    if (outputHeader !== undefined) message.headers.set(outputHeader, data);
    return routeInput.deliver(message, {
      trigger: { uri: this.#uri },
      pattern: exchangePattern,
      properties,
      // Statements of the route join the transaction.
      started: (exchange) => void (exchange.unit = unit),
    });
  }

  /** Executes the statement that follows a run. In a transaction a failed run ends the batch. */
  async #settle(exchange: Exchange, data: unknown, unit: OpenUnit | undefined): Promise<void> {
    const settlement = settlementOf(exchange);
    if (settlement.kind === "released") throw settlement.failure;
    if (settlement.kind !== "done" && unit !== undefined) throw settlement.failure;
    const name = settlement.kind === "done" ? "onConsume" : "onConsumeFailed";
    const statement = this.#followUps[name];
    if (statement === undefined) return;
    try {
      const updateCount = await this.#execute(statement, exchange, data, unit);
      this.#checkCount(name, settlement, updateCount);
    } catch (error) {
      if (this.#options.breakBatchOnConsumeFail || unit !== undefined) throw error;
      this.#warn(`${name} failed: ${toFlowError(error).message}`);
    }
  }

  #checkCount(name: string, settlement: Settlement, updateCount: number): void {
    const { expectedUpdateCount } = this.#options;
    if (settlement.kind !== "done" || expectedUpdateCount < 0 || updateCount === expectedUpdateCount) return;
    throw new FlowError(
      "java.sql.SQLException",
      `${name} did not change the expected number of rows (changed: ${updateCount}, expected: ${expectedUpdateCount})`,
      {
        code: "sql-update-count",
      },
    );
  }

  async #afterBatch(unit: OpenUnit | undefined): Promise<void> {
    const { onConsumeBatchComplete } = this.#followUps;
    if (onConsumeBatchComplete === undefined || this.isStopped) return;
    try {
      await this.#execute(onConsumeBatchComplete, this.#exchange(), null, unit);
    } catch (error) {
      if (this.#options.breakBatchOnConsumeFail || unit !== undefined) throw error;
      this.#warn(`onConsumeBatchComplete failed: ${toFlowError(error).message}`);
    }
  }

  async #execute(statement: SqlStatement, exchange: Exchange, data: unknown, unit: OpenUnit | undefined): Promise<number> {
    const executor = await this.#executor(unit);
    const { updateCount } = await executor.execute(statement.bind({ exchange, data }, executor.dialect));
    return updateCount ?? 0;
  }

  /** For expressions that are evaluated before there is a message. */
  #exchange(): Exchange {
    const run = new Run("run_poll", this.#scope.route, this.#host.clock.now(), { uri: this.#uri });
    return new Exchange("poll", run, "InOnly", new Message(null));
  }

  #warn(text: string): void {
    this.#host.log.write("WARN", "sql", `${this.#uri}: ${text}`);
  }
}

function batchProperties(index: number, size: number): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["CamelBatchIndex", index],
    ["CamelBatchSize", size],
    ["CamelBatchComplete", index + 1 === size],
  ]);
}
