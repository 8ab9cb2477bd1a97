// Redis connections through the package ioredis.
import { defineConnection, FlowError, type ClientPackage } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import type { CorkableStream } from "../messaging/combine-writes.ts";
import { tlsFields, tlsOptions } from "../database/connection-fields.ts";

/** Limits of a search for keys: a million keys, a thousand at a time, so that other clients of the server do not wait. */
const maxScans = 1_000;
const scanCount = 1_000;

export const ioredisPackage: ClientPackage = { package: "ioredis", version: "6.0.0", reason: "the Redis client" };

export interface RedisClient {
  call(command: string, ...parameters: readonly (string | number | Buffer)[]): Promise<unknown>;
  callBuffer(command: string, ...parameters: readonly (string | number | Buffer)[]): Promise<unknown>;
  connect(): Promise<void>;
  duplicate(options?: Readonly<Record<string, unknown>>): RedisClient;
  subscribe(...channels: string[]): Promise<unknown>;
  psubscribe(...patterns: string[]): Promise<unknown>;
  disconnect(): void;
  /** The socket, once it is connected. */
  readonly stream?: CorkableStream;
  on(event: "error" | "end", listener: (error: Error) => void): void;
  on(event: "messageBuffer", listener: (channel: Buffer, message: Buffer) => void): void;
  on(event: "pmessageBuffer", listener: (pattern: Buffer, channel: Buffer, message: Buffer) => void): void;
}
interface RedisModule {
  readonly Redis: new (options: Readonly<Record<string, unknown>>) => RedisClient;
}

const fields = {
  url: f.text({
    title: "URL",
    doc: "Address as `redis://user:password@host:port/database`, or `rediss://` with TLS. The parts that it contains override the other fields. Special characters in the password must be percent-encoded.",
    secret: true,
    examples: ["redis://localhost:6379/0"],
  }),
  host: f.string({ doc: "Host name or address of the server.", default: "localhost" }),
  port: f.integer({ doc: "Port of the server.", default: 6379, min: 1, max: 65_535 }),
  user: f.string({ doc: "The user name." }),
  password: f.text({ doc: "The password.", secret: true }),
  database: f.integer({ doc: "The number of the database.", default: 0, min: 0 }),
  sentinels: f.string({
    doc: "Addresses of the sentinels that monitor the master, as `host:port`, separated by commas. `host` and `port` are then ignored.",
    examples: ["redis1:26379,redis2:26379"],
    group: "advanced",
  }),
  masterName: f.string({ doc: "Name under which the sentinels monitor the master.", default: "mymaster", group: "advanced" }),
  sentinelUser: f.string({ doc: "The user name for the sentinels.", group: "advanced" }),
  sentinelPassword: f.text({ doc: "The password for the sentinels.", secret: true, group: "advanced" }),
  connectTimeout: f.duration({ doc: "Timeout for connecting.", default: 10_000, group: "advanced" }),
  commandTimeout: f.duration({ doc: "Timeout for the reply to a command.", default: 60_000, group: "advanced" }),
  ...tlsFields,
};

type RedisValues = Values<typeof fields>;

/** The values with the parts of `url`. The URL contains a password, so it is not part of an error message. */
export function withUrl(values: RedisValues): RedisValues {
  if (values.url === undefined || values.url.trim() === "") return values;
  const url = URL.canParse(values.url.trim()) ? new URL(values.url.trim()) : undefined;
  const [, database] = /^\/?(\d*)$/.exec(url?.pathname ?? "?") ?? [];
  if (url === undefined || !["redis:", "rediss:"].includes(url.protocol) || url.hostname === "" || database === undefined)
    throw new FlowError("java.lang.IllegalArgumentException", "url is not the address of a Redis server: write redis://user:password@host:port/database", {
      code: "redis-url",
    });
  return {
    ...values,
    host: url.hostname.replaceAll(/^\[|\]$/g, ""),
    tls: url.protocol === "rediss:" || values.tls,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(url.username === "" ? {} : { user: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(database === "" ? {} : { database: Number(database) }),
  };
}

/** Where the client connects to: the server itself, or the master that the sentinels name. */
function addressOf(values: RedisValues): Readonly<Record<string, unknown>> {
  const { host, port, sentinels, masterName, sentinelUser, sentinelPassword, connectTimeout } = values;
  const tls = tlsOptions(values);
  if (sentinels === undefined) return { host, port, tls };
  return {
    sentinels: sentinels.split(",").map(sentinelOf),
    name: masterName,
    tls,
    enableTLSForSentinelMode: tls !== undefined,
    sentinelTLS: tls,
    sentinelUsername: sentinelUser,
    sentinelPassword,
    sentinelCommandTimeout: connectTimeout,
    sentinelRetryStrategy: () => null,
  };
}

function sentinelOf(address: string): { readonly host: string; readonly port: number } {
  const [, host, port = "26379"] = /^\s*(\[[^\]]+\]|[^:\s]+)(?::(\d{1,5}))?\s*$/.exec(address) ?? [];
  if (host === undefined) throw new Error(`'${address.trim()}' is not the address of a sentinel: write host:port, and separate several with commas`);
  return { host: host.replaceAll(/^\[|\]$/g, ""), port: Number(port) };
}

const properties: Readonly<Record<string, keyof typeof fields>> = {
  hostName: "host",
  host: "host",
  port: "port",
  username: "user",
  user: "user",
  password: "password",
  database: "database",
  useSsl: "tls",
};

export const redis = defineConnection({
  type: "redis",
  kinds: ["redis"],
  title: "Redis",
  summary: "A Redis server.",
  group: "database",
  icon: "database",
  since: "0.1",
  fields,
  beans: [
    {
      names: [
        "org.springframework.data.redis.connection.jedis.JedisConnectionFactory",
        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
        "org.springframework.data.redis.connection.RedisStandaloneConfiguration",
      ],
      fields(beanProperties: Readonly<Record<string, string>>) {
        const entries = Object.entries(beanProperties).flatMap(([name, value]) => {
          // The factory may refer to a server configuration bean.
          const field = properties[name.slice(name.lastIndexOf(".") + 1)];
          return field === undefined ? [] : [[field, value] as const];
        });
        return Object.fromEntries(entries);
      },
    },
  ],
  verifiedAgainst: ["Redis 7.0"],
  needs: [ioredisPackage],
  async open(written, { load, signal, disconnected }): Promise<RedisClient> {
    const values = withUrl(written);
    const { Redis } = await load<RedisModule>(ioredisPackage);
    const { user, password, database, connectTimeout, commandTimeout } = values;
    const client = new Redis({
      ...addressOf(values),
      username: user,
      password,
      db: database,
      connectTimeout,
      commandTimeout,
      lazyConnect: true,
      // A command that is in flight when the connection is lost must fail: if it were sent again, it could take effect twice. The owner of the
      // connection reconnects.
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      keepAlive: 10_000,
    });
    let problem = "";
    client.on("error", (error) => (problem = error.message));
    signal.addEventListener("abort", () => client.disconnect(), { once: true });
    try {
      await client.connect();
    } catch (error) {
      client.disconnect();
      throw new FlowError("org.springframework.data.redis.RedisConnectionFailureException", problem === "" ? (error as Error).message : problem, {
        code: "redis-connection",
        retryable: !/WRONGPASS|NOAUTH/.test(problem),
        cause: error,
      });
    }
    client.on("end", () => disconnected(problem === "" ? "the server closed the connection" : problem));
    return client;
  },
  close: async (client) => client.disconnect(),
  async check(client) {
    const info = String(await client.call("INFO", "server"));
    return `Redis ${/redis_version:(\S+)/.exec(info)?.[1] ?? ""}`.trim();
  },
  browses: ["channels", "keys"],
  async browse(client, what, prefix, limit) {
    const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
    // Redis lists a channel only while it has a subscriber.
    if (what === "channels") return ((await client.call("PUBSUB", "CHANNELS", pattern)) as string[]).toSorted().slice(0, limit);
    if (what !== "keys") return [];
    // Each call scans some of the keys, in no particular order, so a rare prefix may need many calls.
    const keys = new Set<string>();
    let cursor = "0";
    for (let calls = 0; calls < maxScans && keys.size < limit; calls++) {
      const [next, found] = (await client.call("SCAN", cursor, "MATCH", pattern, "COUNT", String(scanCount))) as [string, string[]];
      for (const key of found) keys.add(key);
      cursor = next;
      if (cursor === "0") break;
    }
    return [...keys].toSorted().slice(0, limit);
  },
});
