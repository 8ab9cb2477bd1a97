import { CompileError, FlowError, isFlowError, type Connection, type Endpoint, type EndpointScope, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { combineWrites } from "../messaging/combine-writes.ts";
import { collectBody } from "../messaging/outgoing.ts";
import { Reader, redisCommands, refusedCommands } from "./redis-commands.ts";
import type { RedisClient } from "./redis-connection.ts";
import { isJson, redisConnection } from "./redis-endpoint.ts";
import type { RedisOptions } from "./spring-redis.ts";

/** Buffered commands are sent before the end of the tick when they reach this size. */
const flushBytes = 8_192;

/** Executes a command for each message: the endpoint's, or the one in the header CamelRedis.Command. */
export function redisSink(endpoint: Endpoint<RedisOptions>, scope: EndpointScope): Sink {
  const { command, serializer } = endpoint.options;
  const problem = problemOf(command);
  if (problem !== undefined) throw new CompileError("option-refused", problem, { option: "command" });
  const connection = redisConnection(endpoint, scope);
  const json = isJson(serializer);
  return {
    async send(exchange) {
      const name = asText(exchange.message.headers.getOwn("CamelRedis.Command") ?? command).toUpperCase();
      const commandProblem = problemOf(name);
      if (commandProblem !== undefined) throw new FlowError("java.lang.IllegalArgumentException", commandProblem, { code: "redis-command" });
      await execute(name, exchange, connection, json);
    },
  };
}

function problemOf(name: string): string | undefined {
  const reason = refusedCommands[name];
  if (reason !== undefined) return `command ${name} is not allowed: ${reason}`;
  if (name === "SUBSCRIBE" || name === "PSUBSCRIBE") return `command ${name} is for sources only: use it in 'from'`;
  return redisCommands[name] === undefined ? `unknown command '${name}' in the header CamelRedis.Command: use a value of the option 'command'` : undefined;
}

async function execute(name: string, exchange: Exchange, connection: Connection<RedisClient>, json: boolean): Promise<void> {
  const { args, reply, name: sent = name, blocks = false } = redisCommands[name] as (typeof redisCommands)[string];
  const read = new Reader(exchange, json);
  let commandArgs = args(read);
  if (read.usesStream) {
    await collectBody(exchange.message);
    commandArgs = args(read);
  }
  const client = await connection.client();
  let result: unknown;
  try {
    if (!blocks) combineWrites(client.stream, flushBytes);
    result = await (blocks ? callOnDedicatedClient(client, sent, commandArgs, exchange.run.signal) : client.call(sent, ...commandArgs));
  } catch (error) {
    throw redisFailure(error, sent);
  }
  if (reply !== undefined) exchange.message.body = json ? fromJson(reply(result)) : reply(result);
}

/** Uses a separate connection: on the shared one, a blocking command would delay all others. */
async function callOnDedicatedClient(client: RedisClient, name: string, args: readonly (string | number | Buffer)[], signal: AbortSignal): Promise<unknown> {
  const dedicated = client.duplicate({ commandTimeout: undefined });
  dedicated.on("error", () => undefined);
  const end = (): void => dedicated.disconnect();
  signal.addEventListener("abort", end, { once: true });
  try {
    await dedicated.connect();
    return await dedicated.call(name, ...args);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

export const redisExceptions = {
  "org.springframework.core.NestedRuntimeException": "java.lang.RuntimeException",
  "org.springframework.dao.DataAccessException": "org.springframework.core.NestedRuntimeException",
  "org.springframework.data.redis.RedisSystemException": "org.springframework.dao.DataAccessException",
  "org.springframework.data.redis.RedisConnectionFailureException": "org.springframework.dao.DataAccessException",
};

/** An error reply is a failure of the command; anything else is a failure of the connection. */
export function redisFailure(error: unknown, command: string): FlowError {
  if (isFlowError(error)) return error;
  const { name, message } = error as Error;
  if (name === "ReplyError")
    return new FlowError("org.springframework.data.redis.RedisSystemException", `${message} (in: ${command})`, { code: "redis-failed", cause: error });
  return new FlowError("org.springframework.data.redis.RedisConnectionFailureException", `${message} (in: ${command})`, {
    code: "redis-connection",
    retryable: true,
    cause: error,
  });
}
