// The declaration of the sql connector: a statement as endpoint path, and its options.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields, sourceFields } from "../camel-options.ts";
import { sqlExceptions } from "../database/sql-failure.ts";
import { rowsHeader } from "../header-fields.ts";
import { pollFields } from "../polling/poll-fields.ts";

const javaObject = "it needs a Java object";
const ignoredDoc = "Accepted but ignored.";

/** In a URI, `%` and two hexadecimal digits are decoded to one character. */
function cautionAboutPercent(text: string): string | undefined {
  const found = /%(?!25)[0-9A-Fa-f]{2}/.exec(text)?.[0];
  return found === undefined
    ? undefined
    : `'${found}' in a URI is decoded to one character: write '%25' for a percent sign, or put the statement in the parameter 'query'`;
}

const path = {
  query: f.string({
    doc: "SQL statement. `:#name` is a value of the body, a header or a variable, `:#${…}` an expression, `:#in:name` a list, `#` the next value of the body.",
    required: true,
    examples: ["select * from orders where id = :#id"],
    caution: cautionAboutPercent,
    browse: { what: "tables", within: true },
  }),
};

const statementOptions = {
  dataSource: f.string({ doc: "Name of the connection or of a bean; optional when there is only one connection.", connection: ["sql"] }),
  outputType: f.enum(["SelectOne", "SelectList", "StreamList"], {
    doc: "Result of a query. `SelectOne`: a single map, or its value if there is one column. `SelectList`: a list of maps. `StreamList`: a stream of rows to split.",
    default: "SelectList",
  }),
  outputHeader: f.string({ doc: "Header for the result; the body then stays unchanged." }),
  separator: f.text({ doc: "Separator of the values in a text: in the body for `#`, and in a list parameter for `:#in:`.", default: "," }),
  placeholder: f.string({ doc: "Placeholder character for parameters.", default: "#", group: "advanced" }),
  usePlaceholder: f.boolean({ doc: "Whether the placeholder is used; otherwise only `:?name` and `?` are parameters.", default: true, group: "advanced" }),
  allowNamedParameters: f.boolean({ doc: "Whether named parameters are allowed.", default: true }),
  fetchSize: f.integer({ doc: "Number of rows per fetch with outputType=StreamList; 1000 by default.", min: 0, group: "advanced" }),
  outputClass: f.string({ doc: "Accepted but ignored: rows are maps.", group: "advanced" }),
  alwaysPopulateStatement: f.boolean({ doc: ignoredDoc, default: false, group: "advanced" }),
  parametersCount: f.integer({ doc: ignoredDoc, group: "advanced" }),
  templateOptions: f.string({ doc: ignoredDoc, group: "advanced" }),
  prepareStatementStrategy: f.unsupported(javaObject),
  rowMapperFactory: f.unsupported(javaObject),
};

const sinkOptions = {
  batch: f.boolean({ doc: "Whether the body is a list of lists or maps, one per execution; the batch is atomic.", default: false }),
  noop: f.boolean({ doc: "Whether the result is discarded and the body stays unchanged.", default: false }),
  useMessageBodyForSql: f.boolean({ doc: "Whether the body is the statement; the values are then in the header CamelSqlParameters.", default: false }),
  batchAutoCommitDisabled: f.boolean({
    doc: "Accepted but ignored: a batch is one transaction.",
    default: true,
    group: "advanced",
  }),
};

const sourceOptions = {
  onConsume: f.string({ doc: "Statement executed after a row has been processed successfully; `:#column` is a value of the row." }),
  onConsumeFailed: f.string({ doc: "Statement executed after the run of a row failed. Not used with transacted, which rolls back instead." }),
  onConsumeBatchComplete: f.string({ doc: "Statement executed after all rows of a poll." }),
  expectedUpdateCount: f.integer({ doc: "Number of rows that onConsume must change; -1 for any number.", default: -1, min: -1 }),
  breakBatchOnConsumeFail: f.boolean({ doc: "Whether the remaining rows are left for the next poll when onConsume or onConsumeFailed fails.", default: false }),
  useIterator: f.boolean({ doc: "Whether each row is a message; otherwise the list of all rows is one message.", default: true }),
  routeEmptyResultSet: f.boolean({ doc: "Whether an empty result is delivered as a message, with useIterator=false.", default: false }),
  maxMessagesPerPoll: f.integer({ doc: "Maximum number of rows delivered per poll with useIterator; 0 for no limit.", default: 0, min: 0 }),
  transacted: f.boolean({
    doc: "Whether the query, the runs of its rows and onConsume are one transaction, which the first failure rolls back.",
    default: false,
  }),
  processingStrategy: f.unsupported(javaObject),
  exceptionHandler: f.unsupported(javaObject),
  ...pollFields,
};

const options = { ...statementOptions, ...sinkOptions, ...sourceOptions, ...sourceFields, ...sinkFields };

export type SqlOptions = Values<typeof path> & Values<typeof options>;

export const sqlShape: Omit<ConnectorDeclaration<typeof path, typeof options>, "connect"> = {
  scheme: "sql",
  title: "SQL",
  summary: "Executes a SQL statement, or polls the rows of a query.",
  guarantees:
    "Messages are delivered at least once: onConsume runs after the run of a row, so after a crash in between, the row is read again; with transacted=true, both are committed together. Rows are processed one at a time, in the order of the query. A statement sent by a sink is committed on its own, unless it runs inside a `transacted` step. Statements are sent once; the error handler of the route handles retries.",
  group: "database",
  icon: "database",
  since: "0.1",
  keywords: ["db", "database", "query", "insert", "select"],
  syntax: "sql:query",
  roles: ["source", "sink"],
  trigger: "outside",
  workers: "any",
  exceptions: sqlExceptions,
  path,
  options,
  headers: {
    CamelSqlQuery: f.string({ doc: "Set by the route: overrides the statement of the endpoint." }),
    CamelSqlParameters: f.string({ doc: "Parameter values when the body is the statement." }),
    CamelSqlRowCount: f.integer({ doc: "Number of rows returned by the query." }),
    CamelSqlUpdateCount: f.integer({ doc: "Number of rows changed by the statement." }),
    CamelSqlRetrieveGeneratedKeys: f.boolean({ doc: "Set by the route: whether to return generated keys." }),
    CamelSqlGeneratedColumns: f.string({ doc: "Set by the route: the columns whose generated values are returned, as a list or separated by commas." }),
    CamelSqlGeneratedKeyRows: rowsHeader("Generated keys of each row."),
    CamelSqlGeneratedKeysRowCount: f.integer({ doc: "Number of rows with generated keys." }),
    CamelSqlDataSource: f.string({ doc: "Not supported: name the connection in the endpoint." }),
  },
  examples: [],
};
