import { CompileError, type Connection, type Endpoint, type EndpointScope } from "@sluice/engine/spi";
import type { RedisClient } from "./redis-connection.ts";
import type { RedisOptions } from "./spring-redis.ts";

/** The connection of an endpoint: the named one, or the server of its address. */
export function redisConnection({ options, trusted }: Endpoint<RedisOptions>, scope: EndpointScope): Connection<RedisClient> {
  const { host, port, connectionFactory } = options;
  if (connectionFactory !== undefined)
    return scope.connection<RedisClient>({ reference: connectionFactory.replace(/^#(?:bean:)?(?!class:|type:)/, ""), kinds: ["redis"], inline: {} });
  if (!trusted) throw new CompileError("endpoint-refused", "its server address came from a message: write it in the flow");
  return scope.connection<RedisClient>({ reference: undefined, kinds: ["redis"], inline: { host, ...(port === undefined ? {} : { port: String(port) }) } });
}

const jsonSerializers = /Jackson|Json/;

/** Whether values are written as JSON; Java serializers are not supported. */
export function isJson(serializer: string | undefined): boolean {
  if (serializer === undefined || /StringRedisSerializer$|^#?string$/i.test(serializer)) return false;
  if (jsonSerializers.test(serializer)) return true;
  throw new CompileError("option-refused", `serializer '${serializer}' is not supported because it writes Java objects`, {
    hint: "remove it to send text and bytes, or use #class:org.springframework.data.redis.serializer.GenericJackson2JsonRedisSerializer",
    option: "serializer",
  });
}
