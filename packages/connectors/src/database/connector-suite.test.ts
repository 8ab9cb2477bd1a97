// Runs the connector conformance suite for connectors that use a database.
import { connectorSuite, FakeHost, testConnections } from "@sluice/testkit";
import { describe, it } from "vitest";
import { jdbc } from "../jdbc/jdbc.ts";
import { pgeventConnector } from "../pgevent/pgevent.ts";
import { redis } from "../spring-redis/redis-connection.ts";
import { springRedisConnector } from "../spring-redis/spring-redis.ts";
import { sqlStored } from "../sql-stored/sql-stored.ts";
import { sql } from "../sql/sql.ts";
import { postgres } from "./postgres.ts";
import { sqliteConnection } from "./sqlite.ts";

const connections = {
  db: { declaration: sqliteConnection(), values: { file: ":memory:" } },
  events: { declaration: postgres, values: {} },
  cache: { declaration: redis, values: {} },
};
const host = (): FakeHost => {
  const fake = new FakeHost();
  return Object.assign(fake, { connections: testConnections(fake, connections, (clientPackage) => import(clientPackage.package)) });
};

const suites = [
  [sql, { uri: "sql:select 1?dataSource=db&onConsume=select 1", host }],
  [sqlStored, { uri: "sql-stored:add(INTEGER :#a)?dataSource=db", host }],
  [jdbc, { uri: "jdbc:db", host }],
  // The sources of these connectors connect at start; their own tests use real servers.
  [
    springRedisConnector(undefined),
    {
      uri: { source: "spring-redis:x?connectionFactory=cache&command=SUBSCRIBE&channels=c", sink: "spring-redis:x?connectionFactory=cache" },
      host,
      skipStart: true,
    },
  ],
  [pgeventConnector(undefined), { uri: "pgevent:x:1/db/channel?datasource=events", host, skipStart: true }],
] as const;

for (const [connector, options] of suites)
  describe(`${connector.scheme} passes the connector suite`, () => {
    for (const { name, run } of connectorSuite(connector, options)) it(name, run);
  });
