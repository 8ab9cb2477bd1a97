// The database that an endpoint executes on: the transaction of the exchange if there is one, otherwise the database itself.
import { CompileError, FlowError, toFlowError, type Connection, type EndpointScope, type Exchange } from "@sluice/engine/spi";
import { sqlFailure } from "./sql-failure.ts";
import type { Executor, SqlDatabase } from "./sql-database.ts";

export interface DatabaseLink {
  readonly connection: Connection<SqlDatabase>;
  database(): Promise<SqlDatabase>;
  executor(exchange: Exchange): Promise<Executor>;
}

/** `reference`: the option `dataSource` as written; undefined selects the only connection. */
export function databaseLink(scope: EndpointScope, reference: string | undefined): DatabaseLink {
  if (reference?.includes("${") === true)
    throw new CompileError("connection-dynamic", "the name of the connection must not contain an expression", {
      hint: "use choice with one endpoint for each connection",
      value: reference,
    });
  const name = reference?.replace(/^#(?:bean:)?(?!class:|type:)/, "").trim();
  return linkOf(scope.connection<SqlDatabase>({ reference: name, kinds: ["sql"], inline: {} }));
}

export function linkOf(connection: Connection<SqlDatabase>): DatabaseLink {
  const database = (): Promise<SqlDatabase> =>
    connection.client().catch((error: unknown) => {
      throw cannotConnect(error);
    });
  return {
    connection,
    database,
    executor(exchange) {
      const { unit } = exchange;
      if (unit === undefined) return database();
      return unit.join(connection.id, async () => (await database()).begin(exchange.run.signal));
    },
  };
}

function cannotConnect(error: unknown): FlowError {
  const failure = toFlowError(error);
  if (failure.code !== "connection-down") return sqlFailure(error);
  return new FlowError("org.springframework.jdbc.CannotGetJdbcConnectionException", failure.message, {
    code: "sql-connection",
    retryable: true,
    cause: new FlowError("java.sql.SQLException", failure.message, { code: "sql-connection", cause: failure }),
  });
}
