// The databases that bench:connectors measures; cases as in brokers.mjs.
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import { kilobyte, sinkSteps } from "./messages.mjs";

export const databases = {
  postgres: {
    server: "postgres",
    connection: (port) => ({ type: "postgres", values: { host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 10 } }),
    async open(port) {
      const pool = new pg.Pool({ host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 10 });
      await pool.query("create table notes (id integer primary key, note text)");
      await pool.query("create table copies (id integer, note text)");
      await pool.query("insert into notes select n, repeat('x', 1024) from generate_series(0, 20000) n");
      const dataSource = "?dataSource=%23postgres";
      return {
        close: () => pool.end(),
        cases: {
          select: {
            count: 20_000,
            round: () => ({
              send: (n) => pool.query({ name: "get", text: "select id, note from notes where id = $1", values: [n] }),
              steps: sinkSteps,
              to: `sql:select id, note from notes where id = :%23\${exchangeProperty.n}${dataSource}`,
            }),
          },
          insert: {
            count: 20_000,
            round: () => ({
              send: (n) => pool.query({ name: "put", text: "insert into copies values ($1, $2)", values: [n, kilobyte] }),
              steps: sinkSteps,
              to: `sql:insert into copies values (:%23\${exchangeProperty.n}, :%23\${body})${dataSource}`,
            }),
          },
        },
      };
    },
  },
  mariadb: {
    server: "mariadb",
    connection: (port) => ({ type: "mysql", values: { host: "127.0.0.1", port, user: "root", database: "bench", max: 10 } }),
    async open(port) {
      const admin = await mysql.createConnection({ host: "127.0.0.1", port, user: "root" });
      await admin.query("create database bench");
      await admin.end();
      const pool = mysql.createPool({ host: "127.0.0.1", port, user: "root", database: "bench", connectionLimit: 10 });
      await pool.query("create table notes (id integer primary key, note text)");
      await pool.query("insert into notes select seq, repeat('x', 1024) from seq_0_to_20000");
      return {
        close: () => pool.end(),
        cases: {
          select: {
            count: 20_000,
            round: () => ({
              send: (n) => pool.execute("select id, note from notes where id = ?", [n]),
              steps: sinkSteps,
              to: `sql:select id, note from notes where id = :%23\${exchangeProperty.n}?dataSource=%23mariadb`,
            }),
          },
        },
      };
    },
  },
  redis: {
    server: "redis",
    connection: (port) => ({ type: "redis", values: { host: "127.0.0.1", port } }),
    async open(port) {
      const redis = new Redis({ host: "127.0.0.1", port });
      return {
        close: () => redis.disconnect(),
        cases: {
          set: {
            count: 20_000,
            round: () => ({
              send: (n) => redis.set(`k${n}`, kilobyte),
              steps: `{setHeader: {name: CamelRedis.Key, simple: "k\${body}"}}, {setBody: {constant: ${kilobyte}}}`,
              to: "spring-redis:127.0.0.1:1?command=SET&connectionFactory=%23redis",
            }),
          },
        },
      };
    },
  },
};
