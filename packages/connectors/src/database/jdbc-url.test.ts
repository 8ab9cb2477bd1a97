import { describe, expect, it } from "vitest";
import { exactNumber } from "./bound-value.ts";
import { urlFields } from "./data-source-fields.ts";
import { jdbcDataSource } from "./jdbc-data-source.ts";
import { parseJdbcUrl } from "./jdbc-url.ts";
import { parseStatement } from "./statement-template.ts";

describe("a JDBC URL", () => {
  it.each([
    [
      "jdbc:postgresql://db.example:5433/orders?user=u&password=p&currentSchema=s&sslmode=verify-full",
      "postgres",
      { host: "db.example", port: "5433", database: "orders", user: "u", password: "p", schema: "s", tls: "true", tlsVerify: "true" },
    ],
    ["jdbc:postgresql:orders", "postgres", { database: "orders" }],
    ["jdbc:redshift://r.example/dev?sslmode=require", "postgres", { host: "r.example", database: "dev", tls: "true", tlsVerify: "false" }],
    ["jdbc:mysql://[::1]:3307/shop?useSSL=true&serverTimezone=UTC", "mysql", { host: "::1", port: "3307", database: "shop", tls: "true" }],
    ["jdbc:mariadb://m/shop", "mysql", { host: "m", database: "shop" }],
    ["jdbc:sqlite:data/orders.db", "sqlite", { file: "data/orders.db" }],
    ["jdbc:sqlite::memory:", "sqlite", { file: ":memory:" }],
  ])("%s is parsed into a type and fields", (url, type, values) => expect(parseJdbcUrl(url)).toEqual({ type, values }));

  it.each(["jdbc:oracle:thin:@x:1521:orcl", "jdbc:sqlserver://x;password=secret", "jdbc:db2://x/y", "jdbc:h2:mem:test", "nonsense"])(
    "%s is rejected with a list of supported databases",
    (url) => {
      const code = url.startsWith("jdbc:") ? "connection-database" : "connection-url";
      expect(() => parseJdbcUrl(url)).toThrow(expect.objectContaining({ code, hint: expect.stringContaining("jdbc:postgresql:") }));
      expect(() => parseJdbcUrl(url)).not.toThrow("secret");
    },
  );

  it("is read from the properties of Java data sources", () => {
    expect(urlFields({ jdbcUrl: "jdbc:mysql://h/d", username: "u", password: "p", maximumPoolSize: "5", driverClassName: "x" })).toEqual({
      url: "jdbc:mysql://h/d",
      user: "u",
      password: "p",
      max: "5",
    });
    const [form] = jdbcDataSource().beans ?? [];
    expect(() => form?.fields({ url: "jdbc:h2:mem:x" }, "org.apache.commons.dbcp2.BasicDataSource")).toThrow("not supported");
  });
});

describe("a statement's text", () => {
  const options = { placeholder: "#", allowNamedParameters: true };
  const kinds = (text: string, dialect: "postgres" | "mysql" | "sqlite", statementOptions = options) =>
    parseStatement(text, statementOptions, dialect).parameters.map((parameter) =>
      parameter.kind === "position" ? "#" : parameter.kind === "name" ? parameter.name : parameter.text,
    );

  it("has parameters only outside quotes and comments", () => {
    expect(kinds("select '#', \"#\", :#a, x::text -- #\n, # /* :#b */, :#${body.get('}')}", "postgres")).toEqual(["a", "#", "${body.get('}"]);
    expect(kinds("select $$ :#a $$, $x$ # $x$, E'\\' :#b', '\\', :#c", "postgres")).toEqual(["c"]);
    expect(kinds("select 'it\\'s :#a', :#b", "mysql")).toEqual(["b"]);
    expect(kinds("select '\\', :#b", "sqlite")).toEqual(["b"]);
  });

  it("does not treat PostgreSQL's operators as parameters, and supports other placeholders", () => {
    expect(kinds("select a ? 'b' and c = :?x", "postgres")).toEqual(["x"]);
    expect(kinds("select a = ?", "sqlite")).toEqual(["#"]);
    expect(kinds("select a = $ and b = :$n and c # d", "postgres", { placeholder: "$", allowNamedParameters: true })).toEqual(["#", "n"]);
  });
});

it("converts decimal text to a number only if the number is exact", () => {
  expect(["1", "1.50", "-0.25", "9007199254740993", "0.1", "12345678901234567890.5", "1e3"].map(exactNumber)).toEqual([
    1,
    1.5,
    -0.25,
    "9007199254740993",
    0.1,
    "12345678901234567890.5",
    1000,
  ]);
});
