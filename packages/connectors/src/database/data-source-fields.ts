// Maps properties of Java data sources to connection fields.
import { parseJdbcUrl, type DatabaseType } from "./jdbc-url.ts";

type Properties = Readonly<Record<string, string>>;

/** Each Java class names the same property differently. */
const fieldByProperty: Readonly<Record<string, string>> = {
  serverName: "host",
  portNumber: "port",
  databaseName: "database",
  username: "user",
  currentSchema: "schema",
  schema: "schema",
  maxTotal: "max",
  maximumPoolSize: "max",
  maxPoolSize: "max",
};

const fieldNames = new Set(["host", "port", "database", "user", "password"]);

/** Values for the fields of a connection type; properties that only tune Java pools are ignored. */
export function dataSourceFields(properties: Properties, type: DatabaseType): Properties {
  const url = properties["url"] ?? properties["jdbcUrl"] ?? properties["URL"];
  const values: Record<string, string> = url === undefined ? {} : { ...parseJdbcUrl(url).values };
  for (const [name, value] of Object.entries(properties)) {
    const field = fieldByProperty[name] ?? (fieldNames.has(name) ? name : undefined);
    if (field === undefined || (field === "schema" && type !== "postgres") || (field === "max" && Number(value) <= 0)) continue;
    values[field] = value;
  }
  return values;
}

/** For data sources whose URL determines the database. */
export function urlFields(properties: Properties): Properties {
  const { url: _url, jdbcUrl: _jdbcUrl, URL: _other, ...others } = properties;
  const url = properties["url"] ?? properties["jdbcUrl"] ?? properties["URL"];
  const { user, password, max } = dataSourceFields(others, "postgres");
  return {
    ...(url === undefined ? {} : { url }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(max === undefined ? {} : { max }),
  };
}
