import { CompileError, Headers, Message, type Endpoint, type EndpointScope, type Host, type Source } from "@sluice/engine/spi";
import { PushReceiver } from "../message-receiver/push-receiver.ts";
import { every, withTimeout } from "../messaging/incoming.ts";
import { whileConnected } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { RedisClient } from "./redis-connection.ts";
import { isJson, redisConnection } from "./redis-endpoint.ts";
import type { RedisOptions } from "./spring-redis.ts";

/** Interval of the connection check, and the timeout of its reply. */
const pingMs = 10_000;

/** Subscribes to channels on a dedicated connection. Redis stores nothing: messages published while disconnected are lost. */
export function redisSource(endpoint: Endpoint<RedisOptions>, scope: EndpointScope, host: Host, deadLetters: DeadLetters | undefined): Source {
  const { options, uri } = endpoint;
  const { command, channels, exchangePattern, serializer } = options;
  if (command !== "SUBSCRIBE" && command !== "PSUBSCRIBE")
    throw new CompileError("option-invalid", "a source needs command=SUBSCRIBE or command=PSUBSCRIBE", { option: "command" });
  const names = (channels ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  if (names.length === 0) throw new CompileError("option-missing", "a source needs the option 'channels', such as channels=orders", { option: "channels" });
  const json = isJson(serializer);
  /** Any client can publish to a channel: text that is not JSON is delivered as it is. */
  const bodyOf = (bytes: Buffer): unknown => {
    const text = bytes.toString();
    try {
      return json ? (JSON.parse(text) as unknown) : text;
    } catch {
      return text;
    }
  };
  const { start, stop } = whileConnected<RedisClient>({
    connection: redisConnection(endpoint, scope),
    host,
    async begin(client, routeInput, lost) {
      const pushReceiver = new PushReceiver(routeInput, { clock: host.clock, log: host.log, logger: "spring-redis", uri, deadLetters });
      const subscriber = client.duplicate({ commandTimeout: undefined });
      subscriber.on("error", () => undefined);
      const receive = (channel: Buffer, bytes: Buffer, pattern?: Buffer): void => {
        const headers = {
          "CamelRedis.Channel": channel.toString(),
          ...(pattern === undefined ? {} : { "CamelRedis.Pattern": pattern.toString() }),
        };
        pushReceiver.push({
          message: () => new Message(bodyOf(bytes), Headers.of(headers)),
          delivery: { pattern: exchangePattern, trigger: { uri } },
          bytes: bytes.length + 200,
        });
      };
      subscriber.on("messageBuffer", (channel, bytes) => receive(channel, bytes));
      subscriber.on("pmessageBuffer", (pattern, channel, bytes) => receive(channel, bytes, pattern));
      try {
        await subscriber.connect();
        await (command === "SUBSCRIBE" ? subscriber.subscribe(...names) : subscriber.psubscribe(...names));
      } catch (error) {
        subscriber.disconnect();
        throw error;
      }
      // Redis sends nothing while nothing is published, so only a ping detects a dead connection.
      const endPings = every(host.clock, pingMs, () => {
        withTimeout(host.clock, pingMs, subscriber.call("PING"), () => new Error("no response")).catch(() => subscriber.disconnect());
      });
      let isOver = false;
      subscriber.on("end", () => {
        if (!isOver) lost("the connection of the subscription was lost");
      });
      return {
        async stop() {
          isOver = true;
          endPings();
          subscriber.disconnect();
          await pushReceiver.stop();
        },
      };
    },
  });
  return { claims: [], exclusive: true, start, stop };
}
