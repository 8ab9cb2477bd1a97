// A connection described by a JDBC URL, as in Camel's data sources: the URL determines the database.
import { defineConnection } from "@sluice/engine/spi";
import { f, type Fields, type Values } from "@sluice/model";
import { poolFields } from "./connection-fields.ts";
import { databasePath, type ConnectionSettings } from "./database-folders.ts";
import { databaseConnection } from "./database-connection.ts";
import { urlFields } from "./data-source-fields.ts";
import { parseJdbcUrl, type JdbcTarget } from "./jdbc-url.ts";
import { mysqlFields, openMysql, type MysqlValues } from "./mysql.ts";
import { openPostgres, postgresFields, type PostgresValues } from "./postgres.ts";
import { memory, openSqlite, sqliteFields, type SqliteValues } from "./sqlite.ts";
import type { SqlDatabase } from "./sql-database.ts";

const fields = {
  url: f.string({
    doc: "A JDBC URL of PostgreSQL, Redshift, MySQL, MariaDB or SQLite.",
    required: true,
    secret: true,
    examples: ["jdbc:postgresql://db.example:5432/orders"],
  }),
  user: f.string({ doc: "The user name; overrides the user name in the URL." }),
  password: f.text({ doc: "The password; overrides the password in the URL.", secret: true }),
  ...poolFields,
};

const classes = [
  "org.apache.commons.dbcp2.BasicDataSource",
  "org.apache.commons.dbcp.BasicDataSource",
  "com.zaxxer.hikari.HikariDataSource",
  "org.springframework.jdbc.datasource.DriverManagerDataSource",
  "org.springframework.jdbc.datasource.SimpleDriverDataSource",
  "org.apache.tomcat.jdbc.pool.DataSource",
];

export const jdbcDataSource = (settings: ConnectionSettings = {}) =>
  defineConnection({
    ...databaseConnection,
    type: "jdbc",
    title: "JDBC URL",
    summary: "A database identified by a JDBC URL.",
    icon: "database",
    fields,
    beans: [
      {
        names: classes,
        fields(properties: Readonly<Record<string, string>>) {
          const values = urlFields(properties);
          // Checked here so that a database that is not supported or not allowed is rejected at deploy time.
          const target = values["url"] === undefined ? undefined : parseJdbcUrl(values["url"]);
          const file = target?.type === "sqlite" ? target.values["file"] : undefined;
          if (file !== undefined && file !== memory) databasePath(file, settings);
          return values;
        },
      },
    ],
    verifiedAgainst: ["PostgreSQL 15", "MariaDB 10.11", "SQLite 3"],
    // The URL determines the client package, so it is loaded when the connection is opened.
    needs: [],
    async open(values, context): Promise<SqlDatabase> {
      const target = parseJdbcUrl(values.url);
      if (target.type === "postgres") return openPostgres(parseFields(target, values, postgresFields) as PostgresValues, context);
      if (target.type === "mysql") return openMysql(parseFields(target, values, mysqlFields) as MysqlValues, context);
      return openSqlite(parseFields(target, values, sqliteFields) as SqliteValues, context, settings);
    },
  });

function parseFields(target: JdbcTarget, values: Values<typeof fields>, targetFields: Fields): unknown {
  const { user, password, max, idleTimeout, connectTimeout } = values;
  const texts: Record<string, string> = { max: String(max), idleTimeout: String(idleTimeout), connectTimeout: String(connectTimeout), ...target.values };
  if (target.type !== "sqlite" && user !== undefined) texts["user"] = user;
  if (target.type !== "sqlite" && password !== undefined) texts["password"] = password;
  return Object.fromEntries(Object.entries(targetFields).map(([name, field]) => [name, field.parse(texts[name])]));
}
