// Stores processed message keys in a Redis set, as Camel does, so that several runtimes share them.
import { defineBean, type Connection, type IdempotentRepository } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { UncertainKeys } from "../database/uncertain-keys.ts";
import type { RedisClient } from "./redis-connection.ts";
import { redisFailure } from "./redis-sink.ts";

export const redisIdempotentRepository = defineBean({
  names: [
    "org.apache.camel.component.redis.processor.idempotent.SpringRedisIdempotentRepository",
    "org.apache.camel.component.redis.processor.idempotent.RedisIdempotentRepository",
    "SpringRedisIdempotentRepository",
  ],
  kind: "idempotent-repository",
  title: "Redis repository",
  summary: "Stores processed keys in Redis, shared by all runtimes that use it.",
  group: "repository",
  since: "0.1",
  properties: {
    connectionFactory: f.string({ doc: "Name of the connection or of a bean; optional when there is only one connection.", connection: ["redis"] }),
    repositoryName: f.string({ doc: "Key of the set: repositories with the same name share their keys.", required: true }),
    ttl: f.duration({ doc: "How long a key is stored; forever by default. With a ttl, each key is a separate Redis key." }),
    redisTemplate: f.unsupported("it needs a Java object; name the connection with connectionFactory"),
    redisConfiguration: f.unsupported("it needs a Java object; name the connection with connectionFactory"),
  },
  constructorProperties: ["connectionFactory", "repositoryName"],
  create({ connectionFactory, repositoryName, ttl }, _host, scope) {
    const connection = scope.connection<RedisClient>({ reference: connectionFactory, kinds: ["redis"], inline: {} });
    return ttl === undefined ? keysInSet(connection, repositoryName) : keysWithTtl(connection, repositoryName, ttl);
  },
});

function keysInSet(connection: Connection<RedisClient>, name: string): IdempotentRepository {
  const call = caller(connection);
  const uncertain = new UncertainKeys();
  return {
    add: (key) => uncertain.add(key, async () => Number(await call("SADD", name, key)) === 1),
    contains: async (key) => Number(await call("SISMEMBER", name, key)) === 1,
    remove: (key) => uncertain.remove(key, () => call("SREM", name, key)),
    confirm: () => undefined,
  };
}

function keysWithTtl(connection: Connection<RedisClient>, name: string, ttl: number): IdempotentRepository {
  const call = caller(connection);
  const uncertain = new UncertainKeys();
  const keyOf = (key: string): string => `${name}:${key}`;
  return {
    add: (key) => uncertain.add(key, async () => (await call("SET", keyOf(key), "1", "NX", "PX", ttl)) === "OK"),
    contains: async (key) => Number(await call("EXISTS", keyOf(key))) === 1,
    remove: (key) => uncertain.remove(key, () => call("DEL", keyOf(key))),
    confirm: () => undefined,
  };
}

function caller(connection: Connection<RedisClient>): (command: string, ...parameters: readonly (string | number)[]) => Promise<unknown> {
  return async (command, ...parameters) => {
    const client = await connection.client();
    return client.call(command, ...parameters).catch((error: unknown) => {
      throw redisFailure(error, command);
    });
  };
}
