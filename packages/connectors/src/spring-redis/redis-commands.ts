// The Redis commands that Camel supports: the headers each one reads, their order as arguments, and the conversion of the reply.
import { FlowError, type Exchange } from "@sluice/engine/spi";
import { asJson, asText, isMap, isStream, iterate } from "@sluice/engine/values";

export type Part = string | number | Buffer;
type Reply = (reply: unknown) => unknown;

interface Command {
  /** The arguments of the command. */
  parts(read: Reader): readonly Part[];
  /** Converts the reply to the body; absent for commands without a result, which leave the body unchanged. */
  readonly reply?: Reply;
  /** The name in Redis, if it differs. */
  readonly name?: string;
  /** The command blocks its connection, so it gets a dedicated one. */
  readonly blocks?: boolean;
}

const text: Reply = (reply) => reply;
const number: Reply = Number;
const boolean: Reply = (reply) => Number(reply) === 1;
const list: Reply = (reply) => reply;

function pairs(reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  const map: Record<string, unknown> = {};
  for (let at = 0; at < reply.length; at += 2) map[asText(reply[at])] = reply[at + 1];
  return map;
}

const headerNames = new Map<string, string>();

/** The full header name, cached: commands look up several headers for every message. */
function headerName(name: string): string {
  const full = `CamelRedis.${name}`;
  headerNames.set(name, full);
  return full;
}

/** Headers and body of one message as command arguments. */
export class Reader {
  readonly #exchange: Exchange;
  readonly #json: boolean;
  /** True when the command uses the body and the body is a stream, which must be collected before the arguments are read again. */
  usesStream = false;

  /** `json`: values are written as JSON, including strings. */
  constructor(exchange: Exchange, json: boolean) {
    this.#exchange = exchange;
    this.#json = json;
  }

  /** A header set by the route, as text. */
  header(name: string): string {
    const value = this.#own(name);
    if (value === undefined || value === null) throw missingError(name);
    return asText(value);
  }

  get key(): string {
    return this.header("Key");
  }

  has(name: string): boolean {
    return this.#own(name) !== undefined;
  }

  /** Several keys: a list, or a comma-separated string. */
  names(name: string): readonly string[] {
    const value = this.#own(name);
    const names = iterate(value).map((item) => asText(item).trim());
    if (names.length === 0) throw missingError(name);
    return names;
  }

  number(name: string): number {
    const value = Number(this.header(name));
    if (Number.isFinite(value)) return value;
    throw new FlowError("java.lang.IllegalArgumentException", `header 'CamelRedis.${name}' is not a number`, { code: "redis-header" });
  }

  flag(name: string): boolean {
    return this.has(name) && this.header(name).toLowerCase() === "true";
  }

  /** The header CamelRedis.Value, or the body without it. */
  get value(): Part {
    return this.#part(this.#own("Value") ?? this.#body);
  }

  /** Names and values of the header CamelRedis.Values, alternating. */
  get map(): readonly Part[] {
    const values = this.#own("Values") ?? this.#body;
    if (!isMap(values)) throw missingError("Values");
    const entries: readonly (readonly [unknown, unknown])[] = values instanceof Map ? [...values] : Object.entries(values);
    return entries.flatMap(([name, value]) => [asText(name), this.#part(value)]);
  }

  message(): Part {
    return this.#part(this.#own("Message") ?? this.#own("Value") ?? this.#body);
  }

  get #body(): unknown {
    const { body } = this.#exchange.message;
    this.usesStream = isStream(body);
    return body;
  }

  #own(name: string): unknown {
    return this.#exchange.message.headers.getOwn(headerNames.get(name) ?? headerName(name));
  }

  #part(value: unknown): Part {
    if (this.#json) return asJson(value ?? null);
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return asText(value);
  }
}

function missingError(name: string): FlowError {
  return new FlowError("java.lang.IllegalArgumentException", `header 'CamelRedis.${name}' is missing: set it in the route`, { code: "redis-header" });
}

const key = (read: Reader): readonly Part[] => [read.key];
const keyValue = (read: Reader): readonly Part[] => [read.key, read.value];
const keyRange = (read: Reader): readonly Part[] => [read.key, read.number("Start"), read.number("End")];
const keyScores = (read: Reader): readonly Part[] => [read.key, read.header("Min"), read.header("Max")];
const keyAndKeys = (read: Reader): readonly Part[] => [read.key, ...(read.has("Keys") ? read.names("Keys") : [])];
const storeKeys = (read: Reader): readonly Part[] => [read.header("Destination"), ...keyAndKeys(read)];
const storeSorted = (read: Reader): readonly Part[] => {
  const keys = keyAndKeys(read);
  return [read.header("Destination"), keys.length, ...keys];
};
const withScores = (read: Reader): readonly Part[] => [...keyRange(read), ...(read.flag("WithScore") ? ["WITHSCORES"] : [])];
const coordinates = (read: Reader): readonly Part[] => [read.number("Longitude"), read.number("Latitude")];
const radiusParts = (read: Reader): readonly Part[] => [read.number("Radius"), "m", ...(read.has("Count") ? ["COUNT", read.number("Count")] : [])];

export const redisCommands: Readonly<Record<string, Command>> = {
  PING: { parts: () => [], reply: text },
  ECHO: { parts: (read) => [read.value], reply: text },
  SET: { parts: keyValue },
  GET: { parts: key, reply: text },
  GETSET: { parts: keyValue, reply: text },
  SETNX: { parts: keyValue, reply: boolean },
  SETEX: { parts: (read) => [read.key, read.number("Timeout"), read.value] },
  SETRANGE: { parts: (read) => [read.key, read.number("Offset"), read.value] },
  GETRANGE: { parts: keyRange, reply: text },
  SETBIT: { parts: (read) => [read.key, read.number("Offset"), /^(true|1)$/i.test(asText(read.value)) ? 1 : 0] },
  GETBIT: { parts: (read) => [read.key, read.number("Offset")], reply: boolean },
  APPEND: { parts: keyValue, reply: number },
  STRLEN: { parts: key, reply: number },
  INCR: { parts: key, reply: number },
  INCRBY: { parts: keyValue, reply: number },
  DECR: { parts: key, reply: number },
  DECRBY: { parts: keyValue, reply: number },
  MGET: { parts: (read) => read.names(read.has("Fields") ? "Fields" : "Keys"), reply: list },
  MSET: { parts: (read) => read.map },
  MSETNX: { parts: (read) => read.map },
  EXISTS: { parts: key, reply: boolean },
  DEL: { parts: (read) => (read.has("Keys") ? read.names("Keys") : [read.key]) },
  TYPE: { parts: key, reply: text },
  RANDOMKEY: { parts: () => [], reply: text },
  RENAME: { parts: keyValue },
  RENAMENX: { parts: keyValue, reply: boolean },
  EXPIRE: { parts: (read) => [read.key, read.number("Timeout")], reply: boolean },
  EXPIREAT: { parts: (read) => [read.key, read.number("Timestamp")], reply: boolean },
  PEXPIRE: { parts: (read) => [read.key, read.number("Timeout")], reply: boolean },
  PEXPIREAT: { parts: (read) => [read.key, read.number("Timestamp")], reply: boolean },
  PERSIST: { parts: key, reply: boolean },
  TTL: { parts: key, reply: number },
  MOVE: { parts: (read) => [read.key, read.number("Db")], reply: boolean },
  SORT: { parts: key, reply: list },
  HSET: { parts: (read) => [read.key, read.header("Field"), read.value] },
  HSETNX: { parts: (read) => [read.key, read.header("Field"), read.value], reply: boolean },
  HGET: { parts: (read) => [read.key, read.header("Field")], reply: text },
  HMSET: { parts: (read) => [read.key, ...read.map], name: "HSET" },
  HMGET: { parts: (read) => [read.key, ...read.names("Fields")], reply: list },
  HGETALL: { parts: key, reply: pairs },
  HDEL: { parts: (read) => [read.key, read.header("Field")] },
  HEXISTS: { parts: (read) => [read.key, read.header("Field")], reply: boolean },
  HINCRBY: { parts: (read) => [read.key, read.header("Field"), read.value], reply: number },
  HKEYS: { parts: key, reply: list },
  HVALS: { parts: key, reply: list },
  HLEN: { parts: key, reply: number },
  LPUSH: { parts: keyValue, reply: number },
  LPUSHX: { parts: keyValue, reply: number },
  RPUSH: { parts: keyValue, reply: number },
  RPUSHX: { parts: keyValue, reply: number },
  LPOP: { parts: key, reply: text },
  RPOP: { parts: key, reply: text },
  RPOPLPUSH: { parts: (read) => [read.key, read.header("Destination")], reply: text },
  BLPOP: { parts: (read) => [read.key, read.number("Timeout")], reply: second, blocks: true },
  BRPOP: { parts: (read) => [read.key, read.number("Timeout")], reply: second, blocks: true },
  BRPOPLPUSH: { parts: (read) => [read.key, read.header("Destination"), read.number("Timeout")], reply: text, blocks: true },
  LINDEX: { parts: (read) => [read.key, read.number("Index")], reply: text },
  LINSERT: { parts: (read) => [read.key, read.header("Position"), read.header("Pivot"), read.value], reply: number },
  LLEN: { parts: key, reply: number },
  LRANGE: { parts: keyRange, reply: list },
  LREM: { parts: (read) => [read.key, read.number("Count"), read.value], reply: number },
  LSET: { parts: (read) => [read.key, read.number("Index"), read.value] },
  LTRIM: { parts: keyRange },
  SADD: { parts: keyValue, reply: number },
  SCARD: { parts: key, reply: number },
  SISMEMBER: { parts: keyValue, reply: boolean },
  SMEMBERS: { parts: key, reply: list },
  SMOVE: { parts: (read) => [read.key, read.header("Destination"), read.value], reply: boolean },
  SPOP: { parts: key, reply: text },
  SRANDMEMBER: { parts: key, reply: text },
  SREM: { parts: keyValue, reply: number },
  SDIFF: { parts: keyAndKeys, reply: list },
  SINTER: { parts: keyAndKeys, reply: list },
  SUNION: { parts: keyAndKeys, reply: list },
  SDIFFSTORE: { parts: storeKeys },
  SINTERSTORE: { parts: storeKeys },
  SUNIONSTORE: { parts: storeKeys },
  ZADD: { parts: (read) => [read.key, read.number("Score"), read.value], reply: boolean },
  ZCARD: { parts: key, reply: number },
  ZCOUNT: { parts: keyScores, reply: number },
  ZINCRBY: { parts: (read) => [read.key, read.number("Increment"), read.value], reply: number },
  ZRANGE: { parts: withScores, reply: list },
  ZREVRANGE: { parts: withScores, reply: list },
  ZRANGEBYSCORE: { parts: keyScores, reply: list },
  ZREVRANGEBYSCORE: { parts: (read) => [read.key, read.header("Max"), read.header("Min")], reply: list },
  ZRANK: { parts: keyValue, reply: rank },
  ZREVRANK: { parts: keyValue, reply: rank },
  ZREM: { parts: keyValue, reply: number },
  ZREMRANGEBYRANK: { parts: keyRange },
  ZREMRANGEBYSCORE: { parts: keyRange },
  ZINTERSTORE: { parts: storeSorted },
  ZUNIONSTORE: { parts: storeSorted },
  GEOADD: { parts: (read) => [read.key, ...coordinates(read), read.value], reply: number },
  GEODIST: { parts: (read) => [read.key, ...read.names("Values"), "m"], reply: number },
  GEOHASH: { parts: keyValue, reply: list },
  GEOPOS: { parts: keyValue, reply: list },
  GEORADIUS: { parts: (read) => [read.key, ...coordinates(read), ...radiusParts(read)], reply: list },
  GEORADIUSBYMEMBER: { parts: (read) => [read.key, read.value, ...radiusParts(read)], reply: list },
  PUBLISH: { parts: (read) => [read.header("Channel"), read.message()] },
};

function second(reply: unknown): unknown {
  return Array.isArray(reply) ? reply[1] : null;
}

function rank(reply: unknown): unknown {
  return reply === null ? null : Number(reply);
}

const shared = "connections are shared by all flows";

/** Commands that are not available, each with the reason. */
export const refusedCommands: Readonly<Record<string, string>> = {
  FLUSHDB: "it deletes all data, including that of other applications",
  FLUSHALL: "it deletes all data, including that of other applications",
  KEYS: "it blocks the server while it scans all keys; maintain a set of the keys you need",
  SELECT: `${shared}: set the database in the connection`,
  QUIT: shared,
  MULTI: `${shared}, so a transaction would include commands of other flows`,
  EXEC: `${shared}, so a transaction would include commands of other flows`,
  DISCARD: `${shared}, so a transaction would include commands of other flows`,
  WATCH: `${shared}, so a transaction would include commands of other flows`,
  UNWATCH: `${shared}, so a transaction would include commands of other flows`,
};
