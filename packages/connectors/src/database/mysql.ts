import { defineConnection, type ConnectionContext } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { poolFields, serverFields, tlsFields, tlsOptions } from "./connection-fields.ts";
import { databaseConnection, openDatabase } from "./database-connection.ts";
import { dataSourceFields } from "./data-source-fields.ts";
import { mysqlDriver, mysqlPackage, type MysqlModule } from "./mysql-driver.ts";
import type { SqlDatabase } from "./sql-database.ts";

export const mysqlFields = {
  ...serverFields,
  port: f.integer({ doc: "Port of the server.", default: 3306, min: 1, max: 65_535 }),
  ...tlsFields,
  ...poolFields,
};

export type MysqlValues = Values<typeof mysqlFields>;

export const mysql = defineConnection({
  ...databaseConnection,
  type: "mysql",
  title: "MySQL, MariaDB",
  summary: "A MySQL or MariaDB database.",
  icon: "database",
  fields: mysqlFields,
  beans: [
    {
      names: [
        "org.mariadb.jdbc.MariaDbDataSource",
        "org.mariadb.jdbc.MariaDbPoolDataSource",
        "com.mysql.cj.jdbc.MysqlDataSource",
        "com.mysql.cj.jdbc.MysqlConnectionPoolDataSource",
      ],
      fields: (properties: Readonly<Record<string, string>>) => dataSourceFields(properties, "mysql"),
    },
  ],
  verifiedAgainst: ["MariaDB 10.11"],
  needs: [mysqlPackage],
  open: openMysql,
});

export async function openMysql(values: MysqlValues, context: ConnectionContext): Promise<SqlDatabase> {
  const module = await context.load<MysqlModule>(mysqlPackage);
  const { host, port, database, user, password, connectTimeout } = values;
  const ssl = tlsOptions(values);
  const config = { host, port, database, user: user ?? "root", password: password ?? "", connectTimeout, ...(ssl === undefined ? {} : { ssl }) };
  return openDatabase(mysqlDriver(module, config), values, context);
}
