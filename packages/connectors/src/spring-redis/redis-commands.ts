// The Redis commands that Camel supports: the headers each one reads, their order as arguments, and the conversion of the reply.
import { FlowError, type Exchange } from "@sluice/engine/spi";
import { asJson, asText, isMap, isStream, iterate } from "@sluice/engine/values";

export type Argument = string | number | Buffer;
type Reply = (reply: unknown) => unknown;

interface Command {
  /** The arguments of the command. */
  args(read: Reader): readonly Argument[];
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

  /** The header CamelRedis.Value, or the body if the header is missing. */
  get value(): Argument {
    return this.#argument(this.#own("Value") ?? this.#body);
  }

  /** Names and values of the header CamelRedis.Values, alternating. */
  get map(): readonly Argument[] {
    const values = this.#own("Values") ?? this.#body;
    if (!isMap(values)) throw missingError("Values");
    const entries: readonly (readonly [unknown, unknown])[] = values instanceof Map ? [...values] : Object.entries(values);
    return entries.flatMap(([name, value]) => [asText(name), this.#argument(value)]);
  }

  message(): Argument {
    return this.#argument(this.#own("Message") ?? this.#own("Value") ?? this.#body);
  }

  get #body(): unknown {
    const { body } = this.#exchange.message;
    this.usesStream = isStream(body);
    return body;
  }

  #own(name: string): unknown {
    return this.#exchange.message.headers.getOwn(headerNames.get(name) ?? headerName(name));
  }

  #argument(value: unknown): Argument {
    if (this.#json) return asJson(value ?? null);
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return asText(value);
  }
}

function missingError(name: string): FlowError {
  return new FlowError("java.lang.IllegalArgumentException", `header 'CamelRedis.${name}' is missing: set it in the route`, { code: "redis-header" });
}

const key = (read: Reader): readonly Argument[] => [read.key];
const keyValue = (read: Reader): readonly Argument[] => [read.key, read.value];
const keyRange = (read: Reader): readonly Argument[] => [read.key, read.number("Start"), read.number("End")];
const keyScores = (read: Reader): readonly Argument[] => [read.key, read.header("Min"), read.header("Max")];
const keyAndKeys = (read: Reader): readonly Argument[] => [read.key, ...(read.has("Keys") ? read.names("Keys") : [])];
const storeKeys = (read: Reader): readonly Argument[] => [read.header("Destination"), ...keyAndKeys(read)];
const storeSorted = (read: Reader): readonly Argument[] => {
  const keys = keyAndKeys(read);
  return [read.header("Destination"), keys.length, ...keys];
};
const withScores = (read: Reader): readonly Argument[] => [...keyRange(read), ...(read.flag("WithScore") ? ["WITHSCORES"] : [])];
const coordinates = (read: Reader): readonly Argument[] => [read.number("Longitude"), read.number("Latitude")];
const radiusArguments = (read: Reader): readonly Argument[] => [read.number("Radius"), "m", ...(read.has("Count") ? ["COUNT", read.number("Count")] : [])];

export const redisCommands: Readonly<Record<string, Command>> = {
  PING: { args: () => [], reply: text },
  ECHO: { args: (read) => [read.value], reply: text },
  SET: { args: keyValue },
  GET: { args: key, reply: text },
  GETSET: { args: keyValue, reply: text },
  SETNX: { args: keyValue, reply: boolean },
  SETEX: { args: (read) => [read.key, read.number("Timeout"), read.value] },
  SETRANGE: { args: (read) => [read.key, read.number("Offset"), read.value] },
  GETRANGE: { args: keyRange, reply: text },
  SETBIT: { args: (read) => [read.key, read.number("Offset"), /^(true|1)$/i.test(asText(read.value)) ? 1 : 0] },
  GETBIT: { args: (read) => [read.key, read.number("Offset")], reply: boolean },
  APPEND: { args: keyValue, reply: number },
  STRLEN: { args: key, reply: number },
  INCR: { args: key, reply: number },
  INCRBY: { args: keyValue, reply: number },
  DECR: { args: key, reply: number },
  DECRBY: { args: keyValue, reply: number },
  MGET: { args: (read) => read.names(read.has("Fields") ? "Fields" : "Keys"), reply: list },
  MSET: { args: (read) => read.map },
  MSETNX: { args: (read) => read.map },
  EXISTS: { args: key, reply: boolean },
  DEL: { args: (read) => (read.has("Keys") ? read.names("Keys") : [read.key]) },
  TYPE: { args: key, reply: text },
  RANDOMKEY: { args: () => [], reply: text },
  RENAME: { args: keyValue },
  RENAMENX: { args: keyValue, reply: boolean },
  EXPIRE: { args: (read) => [read.key, read.number("Timeout")], reply: boolean },
  EXPIREAT: { args: (read) => [read.key, read.number("Timestamp")], reply: boolean },
  PEXPIRE: { args: (read) => [read.key, read.number("Timeout")], reply: boolean },
  PEXPIREAT: { args: (read) => [read.key, read.number("Timestamp")], reply: boolean },
  PERSIST: { args: key, reply: boolean },
  TTL: { args: key, reply: number },
  MOVE: { args: (read) => [read.key, read.number("Db")], reply: boolean },
  SORT: { args: key, reply: list },
  HSET: { args: (read) => [read.key, read.header("Field"), read.value] },
  HSETNX: { args: (read) => [read.key, read.header("Field"), read.value], reply: boolean },
  HGET: { args: (read) => [read.key, read.header("Field")], reply: text },
  HMSET: { args: (read) => [read.key, ...read.map], name: "HSET" },
  HMGET: { args: (read) => [read.key, ...read.names("Fields")], reply: list },
  HGETALL: { args: key, reply: pairs },
  HDEL: { args: (read) => [read.key, read.header("Field")] },
  HEXISTS: { args: (read) => [read.key, read.header("Field")], reply: boolean },
  HINCRBY: { args: (read) => [read.key, read.header("Field"), read.value], reply: number },
  HKEYS: { args: key, reply: list },
  HVALS: { args: key, reply: list },
  HLEN: { args: key, reply: number },
  LPUSH: { args: keyValue, reply: number },
  LPUSHX: { args: keyValue, reply: number },
  RPUSH: { args: keyValue, reply: number },
  RPUSHX: { args: keyValue, reply: number },
  LPOP: { args: key, reply: text },
  RPOP: { args: key, reply: text },
  RPOPLPUSH: { args: (read) => [read.key, read.header("Destination")], reply: text },
  BLPOP: { args: (read) => [read.key, read.number("Timeout")], reply: second, blocks: true },
  BRPOP: { args: (read) => [read.key, read.number("Timeout")], reply: second, blocks: true },
  BRPOPLPUSH: { args: (read) => [read.key, read.header("Destination"), read.number("Timeout")], reply: text, blocks: true },
  LINDEX: { args: (read) => [read.key, read.number("Index")], reply: text },
  LINSERT: { args: (read) => [read.key, read.header("Position"), read.header("Pivot"), read.value], reply: number },
  LLEN: { args: key, reply: number },
  LRANGE: { args: keyRange, reply: list },
  LREM: { args: (read) => [read.key, read.number("Count"), read.value], reply: number },
  LSET: { args: (read) => [read.key, read.number("Index"), read.value] },
  LTRIM: { args: keyRange },
  SADD: { args: keyValue, reply: number },
  SCARD: { args: key, reply: number },
  SISMEMBER: { args: keyValue, reply: boolean },
  SMEMBERS: { args: key, reply: list },
  SMOVE: { args: (read) => [read.key, read.header("Destination"), read.value], reply: boolean },
  SPOP: { args: key, reply: text },
  SRANDMEMBER: { args: key, reply: text },
  SREM: { args: keyValue, reply: number },
  SDIFF: { args: keyAndKeys, reply: list },
  SINTER: { args: keyAndKeys, reply: list },
  SUNION: { args: keyAndKeys, reply: list },
  SDIFFSTORE: { args: storeKeys },
  SINTERSTORE: { args: storeKeys },
  SUNIONSTORE: { args: storeKeys },
  ZADD: { args: (read) => [read.key, read.number("Score"), read.value], reply: boolean },
  ZCARD: { args: key, reply: number },
  ZCOUNT: { args: keyScores, reply: number },
  ZINCRBY: { args: (read) => [read.key, read.number("Increment"), read.value], reply: number },
  ZRANGE: { args: withScores, reply: list },
  ZREVRANGE: { args: withScores, reply: list },
  ZRANGEBYSCORE: { args: keyScores, reply: list },
  ZREVRANGEBYSCORE: { args: (read) => [read.key, read.header("Max"), read.header("Min")], reply: list },
  ZRANK: { args: keyValue, reply: rank },
  ZREVRANK: { args: keyValue, reply: rank },
  ZREM: { args: keyValue, reply: number },
  ZREMRANGEBYRANK: { args: keyRange },
  ZREMRANGEBYSCORE: { args: keyRange },
  ZINTERSTORE: { args: storeSorted },
  ZUNIONSTORE: { args: storeSorted },
  GEOADD: { args: (read) => [read.key, ...coordinates(read), read.value], reply: number },
  GEODIST: { args: (read) => [read.key, ...read.names("Values"), "m"], reply: number },
  GEOHASH: { args: keyValue, reply: list },
  GEOPOS: { args: keyValue, reply: list },
  GEORADIUS: { args: (read) => [read.key, ...coordinates(read), ...radiusArguments(read)], reply: list },
  GEORADIUSBYMEMBER: { args: (read) => [read.key, read.value, ...radiusArguments(read)], reply: list },
  PUBLISH: { args: (read) => [read.header("Channel"), read.message()] },
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
