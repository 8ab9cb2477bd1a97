// Executes message bodies as SQL statements.
import { defineConnector, onExchangeEnd, type Endpoint, type EndpointScope, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText, isMap } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { listHeader, mapHeader, rowsHeader } from "../header-fields.ts";
import type { SqlResult, Statement } from "../database/database.ts";
import { databaseLink } from "../database/database-link.ts";
import { keyRequest, keysOf, withReturningClause, type KeyRequest } from "../database/generated-keys.ts";
import { onlyRow } from "../database/query-result.ts";
import type { Executor } from "../database/sql-database.ts";
import { StatementCache } from "../database/statement-cache.ts";
import { statementSink } from "../database/statement-sink.ts";

const javaObject = "it needs a Java object";
const ignoredDoc = "Accepted but ignored.";
const fetchSize = 1000;

const path = {
  dataSourceName: f.string({
    doc: "Name of the connection or of a bean; `default` and `dataSource` select the only connection.",
    required: true,
    examples: ["orders"],
    connection: ["sql"],
  }),
};

const options = {
  useHeadersAsParameters: f.boolean({
    doc: "Whether `:?name` in the statement is a parameter. Its value is looked up in the header CamelJdbcParameters, then in the headers and variables.",
    default: false,
  }),
  outputType: f.enum(["SelectOne", "SelectList", "StreamList"], {
    doc: "Result of a query. `SelectOne`: a single map, or its value if there is one column. `SelectList`: a list of maps. `StreamList`: a stream of rows to split.",
    default: "SelectList",
  }),
  readSize: f.integer({ doc: "Maximum number of rows in the body; 0 for no limit. Not used with `StreamList`.", default: 0, min: 0 }),
  transacted: f.boolean({
    doc: "Accepted but ignored: each statement is its own transaction; use the step transacted for several.",
    default: false,
    group: "advanced",
  }),
  allowNamedParameters: f.boolean({ doc: "Whether named parameters are allowed with useHeadersAsParameters.", default: true }),
  outputClass: f.string({ doc: ignoredDoc, group: "advanced" }),
  parameters: f.string({ doc: ignoredDoc, group: "advanced" }),
  resetAutoCommit: f.boolean({ doc: ignoredDoc, default: true, group: "advanced" }),
  useGetBytesForBlob: f.boolean({ doc: ignoredDoc, default: false, group: "advanced" }),
  useJDBC4ColumnNameAndLabelSemantics: f.boolean({ doc: ignoredDoc, default: true, group: "advanced" }),
  beanRowMapper: f.unsupported(javaObject),
  connectionStrategy: f.unsupported(javaObject),
  prepareStatementStrategy: f.unsupported(javaObject),
  ...sinkFields,
};

type JdbcOptions = Values<typeof path> & Values<typeof options>;

export const jdbc = defineConnector({
  scheme: "jdbc",
  aliases: ["spring-jdbc"],
  title: "JDBC",
  summary: "Executes the message body as a SQL statement.",
  syntax: "jdbc:dataSourceName",
  ...statementSink,
  bodyCaution:
    "the received body is executed as a SQL statement: anyone who can send messages to this route controls the database; set the statement with setBody, or use sql with parameters",
  path,
  options,
  headers: {
    CamelJdbcParameters: mapHeader("Set by the route: values for `:?name`, by name."),
    CamelJdbcUpdateCount: f.integer({ doc: "Number of rows changed by the statement." }),
    CamelJdbcRowCount: f.integer({ doc: "Number of rows returned by the query." }),
    CamelJdbcColumnNames: listHeader("Names of the columns."),
    CamelRetrieveGeneratedKeys: f.boolean({ doc: "Set by the route: whether to return generated keys." }),
    CamelGeneratedColumns: f.string({ doc: "Set by the route: the columns whose generated values are returned, as a list or separated by commas." }),
    CamelGeneratedKeysRowCount: f.integer({ doc: "Number of rows with generated keys." }),
    CamelGeneratedKeysRows: rowsHeader("Generated keys of each row."),
  },
  examples: [],
  connect: () => ({ sink: jdbcSink }),
});

function jdbcSink({ options: endpointOptions }: Endpoint<JdbcOptions>, scope: EndpointScope): Sink {
  const { dataSourceName, useHeadersAsParameters, allowNamedParameters } = endpointOptions;
  const link = databaseLink(scope, dataSourceName === "default" || dataSourceName === "dataSource" ? undefined : dataSourceName);
  const statements = new StatementCache({ placeholder: undefined, allowNamedParameters: allowNamedParameters && useHeadersAsParameters, separator: "," });
  return {
    async send(exchange) {
      const { headers, body } = exchange.message;
      const statement = statements.of(asText(body));
      const executor = await link.executor(exchange);
      const parameters = headers.getOwn("CamelJdbcParameters");
      const data = useHeadersAsParameters ? (isMap(parameters) || Array.isArray(parameters) ? parameters : {}) : [];
      const bound = statement.bind({ exchange, data }, executor.dialect);
      if (endpointOptions.outputType === "StreamList") return streamRows(exchange, bound, executor);
      const keys = keyRequest(headers.getOwn("CamelRetrieveGeneratedKeys"), headers.getOwn("CamelGeneratedColumns"));
      const executed = keys === undefined ? bound : withReturningClause(bound, keys, executor.dialect);
      const result = await executor.execute(executed, exchange.run.signal);
      if (keys === undefined) applyResult(exchange, result, endpointOptions);
      else applyKeys(exchange, result, keys, executed === bound && result.columns !== undefined, endpointOptions);
    },
  };
}

function applyResult(exchange: Exchange, { columns, rows, updateCount }: SqlResult, { outputType, readSize }: JdbcOptions): void {
  const { message } = exchange;
  if (columns === undefined) {
    message.headers.set("CamelJdbcUpdateCount", updateCount ?? 0);
    return;
  }
  const limitedRows = readSize > 0 ? rows.slice(0, readSize) : rows;
  message.headers.set("CamelJdbcRowCount", limitedRows.length);
  message.headers.set("CamelJdbcColumnNames", columns);
  message.body = outputType === "SelectOne" ? onlyRow(limitedRows) : limitedRows;
}

function applyKeys(exchange: Exchange, result: SqlResult, request: KeyRequest, isSelect: boolean, options: JdbcOptions): void {
  const { keys, updateCount } = keysOf(result, request, isSelect);
  const { headers } = exchange.message;
  headers.set("CamelGeneratedKeysRowCount", keys.length);
  headers.set("CamelGeneratedKeysRows", keys);
  applyResult(exchange, isSelect ? result : { columns: undefined, rows: [], updateCount }, options);
}

/** Rows are read on demand; their session is released at the end of the rows or of the run. */
function streamRows(exchange: Exchange, statement: Statement, executor: Executor): void {
  const rows = executor.stream(statement, fetchSize);
  onExchangeEnd(exchange, async () => void (await rows.return?.()));
  exchange.message.body = rows;
}
