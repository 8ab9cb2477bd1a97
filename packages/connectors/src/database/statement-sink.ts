import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { sqlExceptions } from "./sql-failure.ts";

/** The metadata that `jdbc` and `sql-stored` share: both execute a statement for each message. */
export const statementSink = {
  guarantees:
    "Each statement is committed immediately, unless it runs inside a `transacted` step. It is sent once; the error handler of the route handles retries. Connections come from a bounded pool; calls wait for a free one without blocking other messages.",
  group: "database",
  icon: "database",
  since: "0.1",
  roles: ["sink"],
  workers: "any",
  exceptions: sqlExceptions,
} as const satisfies Partial<ConnectorDeclaration>;
