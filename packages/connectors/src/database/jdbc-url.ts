// Parses JDBC URLs, with which Camel's data sources identify their database.
import { CompileError } from "@sluice/engine/spi";

export type DatabaseType = "postgres" | "mysql" | "sqlite";

export interface JdbcTarget {
  readonly type: DatabaseType;
  /** Values for the fields of that connection type. */
  readonly values: Readonly<Record<string, string>>;
}

const types: Readonly<Record<string, DatabaseType>> = { postgresql: "postgres", redshift: "postgres", mysql: "mysql", mariadb: "mysql", sqlite: "sqlite" };
const supported = "jdbc:postgresql:, jdbc:redshift:, jdbc:mysql:, jdbc:mariadb:, jdbc:sqlite:";

export function parseJdbcUrl(url: string): JdbcTarget {
  const [, name = "", rest = ""] = /^jdbc:([a-z][a-z0-9]*):(.*)$/is.exec(url.trim()) ?? [];
  const type = types[name.toLowerCase()];
  if (type === undefined) {
    const [code, problem] = name === "" ? ["connection-url", "is not a JDBC URL"] : ["connection-database", "names a database that is not supported"];
    throw new CompileError(code, `'${scheme(url)}' ${problem}`, { hint: `use one of ${supported}` });
  }
  if (type === "sqlite") return { type, values: { file: rest === "" ? ":memory:" : rest.replace(/^file:/, "").replace(/\?.*$/s, "") } };
  const [address, query] = splitOnce(rest, "?");
  const [, authority = "", database = ""] = /^(?:\/\/([^/]*)\/?)?(.*)$/s.exec(address) ?? [];
  if (authority.includes(",")) throw new CompileError("connection-url", "a JDBC URL with several hosts is not supported", { hint: "specify one host" });
  const [, host = "", port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [];
  const values: Record<string, string> = {};
  if (host !== "") values["host"] = host.replaceAll(/[[\]]/g, "");
  if (port !== "") values["port"] = port;
  if (database !== "") values["database"] = decodeURIComponent(database);
  for (const [key, value] of new URLSearchParams(query)) readOption(type, key, value, values);
  return { type, values };
}

/** Driver options that have an equivalent here; the others configure Java drivers. */
function readOption(type: DatabaseType, key: string, value: string, values: Record<string, string>): void {
  if (key === "user" || key === "password") values[key] = value;
  else if (type === "postgres" && key === "currentSchema") values["schema"] = value;
  else if (key.toLowerCase() === "sslmode") Object.assign(values, tlsOfMode(value));
  else if ((key === "ssl" || key === "useSSL") && value === "true") Object.assign(values, { tls: "true" });
  else if (key === "connectTimeout") values["connectTimeout"] = type === "postgres" ? `${value}s` : value;
}

function tlsOfMode(mode: string): Readonly<Record<string, string>> {
  const name = mode.toLowerCase().replaceAll("_", "-");
  if (["disable", "disabled", "allow", "prefer", "preferred"].includes(name)) return { tls: "false" };
  return { tls: "true", tlsVerify: String(name.startsWith("verify")) };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The part of a URL that names the database product; the rest may contain a password. */
const scheme = (url: string): string => /^(?:jdbc:)?[\w+.-]*:?/.exec(url)?.[0] ?? "";
