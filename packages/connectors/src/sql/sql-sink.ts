// Executes a statement for each message.
import { FlowError, onExchangeEnd, type Endpoint, type EndpointScope, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText, iterate } from "@sluice/engine/values";
import type { Row, Statement } from "../database/database.ts";
import { databaseLink } from "../database/database-link.ts";
import { keyRequest, keysOf, withReturningClause, type KeyRequest } from "../database/generated-keys.ts";
import { onlyRow } from "../database/query-result.ts";
import type { Executor } from "../database/sql-database.ts";
import { SqlStatement, type StatementOptions } from "../database/sql-statement.ts";
import { StatementCache } from "../database/statement-cache.ts";
import { rejectUntrustedStatement } from "./untrusted-statement.ts";
import type { SqlOptions } from "./sql-shape.ts";

const defaultFetchSize = 1000;

export function sqlSink(endpoint: Endpoint<SqlOptions>, scope: EndpointScope): Sink {
  rejectUntrustedStatement(endpoint);
  const { options } = endpoint;
  const link = databaseLink(scope, options.dataSource);
  const statementOptions = optionsOf(options);
  const authoredStatement = SqlStatement.fromFlow(options.query, statementOptions, (text) => scope.expression(text));
  const receivedStatements = new StatementCache(statementOptions);
  const statementFor = (exchange: Exchange): SqlStatement => {
    if (options.useMessageBodyForSql) return receivedStatements.of(asText(exchange.message.body));
    const header = exchange.message.headers.getOwn("CamelSqlQuery");
    return header === undefined ? authoredStatement : receivedStatements.of(asText(header));
  };
  return {
    async send(exchange) {
      const { headers } = exchange.message;
      if (headers.getOwn("CamelSqlDataSource") !== undefined)
        throw new FlowError("java.lang.IllegalArgumentException", "header 'CamelSqlDataSource' is not supported: name the connection in the endpoint", {
          code: "sql-data-source",
        });
      const statement = statementFor(exchange);
      const executor = await link.executor(exchange);
      const data: unknown = options.useMessageBodyForSql ? headers.getOwn("CamelSqlParameters") : exchange.message.body;
      if (options.batch) return executeBatch(exchange, statement, data, executor);
      const bound = statement.bind({ exchange, data }, executor.dialect);
      if (options.outputType === "StreamList") return streamRows(exchange, bound, executor, options);
      const keys = keyRequest(headers.getOwn("CamelSqlRetrieveGeneratedKeys"), headers.getOwn("CamelSqlGeneratedColumns"));
      if (keys !== undefined) return executeForKeys(exchange, bound, executor, options, keys);
      const { columns, rows, updateCount } = await executor.execute(bound, exchange.run.signal);
      if (columns === undefined) setUpdateCount(exchange, updateCount ?? 0, options);
      else applyRows(exchange, rows, options);
    },
  };
}

export function optionsOf({ placeholder, usePlaceholder, allowNamedParameters, separator }: SqlOptions): StatementOptions {
  return { placeholder: usePlaceholder ? placeholder : undefined, allowNamedParameters, separator };
}

async function executeBatch(exchange: Exchange, statement: SqlStatement, data: unknown, executor: Executor): Promise<void> {
  const statements = iterate(data).map((item) => statement.bind({ exchange, data: item }, executor.dialect));
  const results = await executor.executeAll(statements, exchange.run.signal);
  exchange.message.headers.set(
    "CamelSqlUpdateCount",
    results.reduce((sum, { updateCount }) => sum + (updateCount ?? 0), 0),
  );
}

async function executeForKeys(exchange: Exchange, statement: Statement, executor: Executor, options: SqlOptions, request: KeyRequest): Promise<void> {
  const executed = withReturningClause(statement, request, executor.dialect);
  const result = await executor.execute(executed, exchange.run.signal);
  const isSelect = executed === statement && result.columns !== undefined;
  const { keys, updateCount } = keysOf(result, request, isSelect);
  const { headers } = exchange.message;
  headers.set("CamelSqlGeneratedKeyRows", keys);
  headers.set("CamelSqlGeneratedKeysRowCount", keys.length);
  if (isSelect) applyRows(exchange, result.rows, options);
  else setUpdateCount(exchange, updateCount ?? 0, options);
}

/** The body does not change; the result of an update is in the header. */
function setUpdateCount(exchange: Exchange, updateCount: number, { outputHeader }: SqlOptions): void {
  exchange.message.headers.set("CamelSqlUpdateCount", updateCount);
  if (outputHeader !== undefined) exchange.message.headers.set(outputHeader, null);
}

function applyRows(exchange: Exchange, rows: readonly Row[], { outputType, outputHeader, noop }: SqlOptions): void {
  const result = outputType === "SelectOne" ? onlyRow(rows) : rows;
  exchange.message.headers.set("CamelSqlRowCount", rows.length);
  if (outputHeader !== undefined) exchange.message.headers.set(outputHeader, result);
  else if (!noop) exchange.message.body = result;
}

/** Rows are read on demand; their session is released at the end of the rows or of the run. */
function streamRows(exchange: Exchange, statement: Statement, executor: Executor, { fetchSize, outputHeader, noop }: SqlOptions): void {
  const rows = executor.stream(statement, fetchSize === undefined || fetchSize === 0 ? defaultFetchSize : fetchSize);
  onExchangeEnd(exchange, async () => void (await rows.return?.()));
  if (outputHeader !== undefined) exchange.message.headers.set(outputHeader, rows);
  else if (!noop) exchange.message.body = rows;
}
