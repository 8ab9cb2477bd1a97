// Calls stored procedures and functions.
import { defineConnector, isCompileError, type Endpoint, type EndpointScope, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText, iterate } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { databaseLink } from "../database/database-link.ts";
import { sqlInputError } from "../database/sql-failure.ts";
import { statementSink } from "../database/statement-sink.ts";
import { rejectUntrustedStatement } from "../sql/untrusted-statement.ts";
import { parseCall, type CallTemplate } from "./call-template.ts";
import { callStored } from "./stored-call.ts";

const path = {
  template: f.string({
    doc: "The call: a name followed by the type and value of each parameter in parentheses; `OUT TYPE name` declares an output parameter.",
    required: true,
    examples: ["ADD_NUMBERS(INTEGER :#a, INTEGER :#b, OUT INTEGER sum)"],
  }),
};

const options = {
  dataSource: f.string({ doc: "Name of the connection or of a bean; optional when there is only one connection.", connection: ["sql"] }),
  function: f.boolean({ doc: "Whether to call a function instead of a procedure.", default: false }),
  batch: f.boolean({ doc: "Whether the body is a list with the values of one call per item.", default: false }),
  noop: f.boolean({ doc: "Whether the result is discarded and the body stays unchanged.", default: false }),
  outputHeader: f.string({ doc: "Header for the result; the body then stays unchanged." }),
  useMessageBodyForTemplate: f.boolean({
    doc: "Whether the body is the template; the values are then in the header CamelSqlStoredParameters.",
    default: false,
  }),
  templateOptions: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  ...sinkFields,
};

type StoredOptions = Values<typeof path> & Values<typeof options>;

export const sqlStored = defineConnector({
  scheme: "sql-stored",
  title: "Stored procedure",
  summary: "Calls a stored procedure or function; not available in SQLite.",
  syntax: "sql-stored:template",
  ...statementSink,
  path,
  options,
  headers: {
    CamelSqlStoredTemplate: f.string({ doc: "Set by the route: overrides the template of the endpoint." }),
    CamelSqlStoredParameters: f.string({ doc: "Parameter values when the body is the template." }),
    CamelSqlStoredUpdateCount: f.integer({ doc: "Number of rows changed by the call." }),
  },
  examples: [],
  connect: () => ({ sink: storedSink }),
});

function storedSink(endpoint: Endpoint<StoredOptions>, scope: EndpointScope): Sink {
  rejectUntrustedStatement(endpoint);
  const endpointOptions = endpoint.options;
  const link = databaseLink(scope, endpointOptions.dataSource);
  const authoredTemplate = endpointOptions.useMessageBodyForTemplate ? undefined : parseCall(endpointOptions.template, (text) => scope.expression(text));
  const templateFor = ({ message }: Exchange): CallTemplate => {
    const header = message.headers.getOwn("CamelSqlStoredTemplate");
    if (endpointOptions.useMessageBodyForTemplate || authoredTemplate === undefined) return parseReceived(asText(message.body));
    return header === undefined ? authoredTemplate : parseReceived(asText(header));
  };
  return {
    async send(exchange) {
      const { message } = exchange;
      const template = templateFor(exchange);
      const data: unknown = endpointOptions.useMessageBodyForTemplate ? message.headers.getOwn("CamelSqlStoredParameters") : message.body;
      const executor = await link.executor(exchange);
      const results = [];
      for (const item of endpointOptions.batch ? iterate(data) : [data])
        results.push(await callStored(template, endpointOptions.function, executor, exchange, item));
      message.headers.set(
        "CamelSqlStoredUpdateCount",
        results.reduce((sum, { updateCount }) => sum + updateCount, 0),
      );
      const values = endpointOptions.batch ? results.map((result) => result.values) : results[0]?.values;
      if (endpointOptions.outputHeader !== undefined) message.headers.set(endpointOptions.outputHeader, values);
      else if (!endpointOptions.noop) message.body = values;
    },
  };
}

/** An invalid template from a message is an error of the message, not of the flow. */
function parseReceived(text: string): CallTemplate {
  try {
    return parseCall(text, undefined);
  } catch (error) {
    throw isCompileError(error) ? sqlInputError("sql-template", error.message) : error;
  }
}
