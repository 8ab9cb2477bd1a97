// Redis commands and channel messages.
import { defineConnector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields, sourceFields } from "../camel-options.ts";
import { listHeader, mapHeader } from "../header-fields.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import { redisCommands, refusedCommands } from "./redis-commands.ts";
import { redisExceptions, redisSink } from "./redis-sink.ts";
import { redisSource } from "./redis-source.ts";

const javaObject = "it needs a Java object";

const path = {
  host: f.string({ doc: "Host name or address of the server; ignored when the endpoint references a connection.", required: true }),
  port: f.integer({ doc: "Port of the server.", default: 6379, min: 1, max: 65_535 }),
};

const commandNames = [...Object.keys(redisCommands), ...Object.keys(refusedCommands), "SUBSCRIBE", "PSUBSCRIBE"].toSorted() as [string, ...string[]];

const options = {
  command: f.enum(commandNames, {
    doc: "Command; the header CamelRedis.Command overrides it if the route sets the header. A source needs SUBSCRIBE or PSUBSCRIBE.",
    default: "SET",
  }),
  channels: f.string({ doc: "Channels or channel patterns that a source subscribes to, separated by commas.", browse: { what: "channels" } }),
  connectionFactory: f.string({ doc: "Name of the connection or of a bean.", connection: ["redis"] }),
  serializer: f.string({ doc: "Serializer class for values. By default, values are sent unchanged; with a JSON serializer, as JSON.", group: "advanced" }),
  redisTemplate: f.unsupported("define a connection of type redis and name it with connectionFactory"),
  listenerContainer: f.unsupported(javaObject),
  exceptionHandler: f.unsupported(javaObject),
  ...sourceFields,
  ...sinkFields,
};

export type RedisOptions = Values<typeof path> & Values<typeof options>;

const header = (doc: string) => f.string({ doc });

export function springRedisConnector(deadLetters: DeadLetters | undefined): ConnectorDeclaration {
  return defineConnector({
    scheme: "spring-redis",
    title: "Redis",
    summary: "Executes Redis commands, or subscribes to channels.",
    guarantees:
      "Channels deliver messages at most once: Redis does not store published messages, so those sent while the route is stopped or disconnected are lost. Messages are processed one at a time and in order. Up to 10,000 messages or 16 MB are buffered in memory; additional messages are dropped and counted in the log. A message whose run fails becomes a dead letter. A command is sent once; the error handler of the route handles retries.",
    group: "database",
    icon: "database",
    since: "0.1",
    syntax: "spring-redis:host:port",
    roles: ["source", "sink"],
    trigger: "outside",
    sourceStarter: { command: "SUBSCRIBE", channels: "orders" },
    workers: "any",
    exceptions: redisExceptions,
    path,
    options,
    headers: {
      "CamelRedis.Command": header("The command, set by the route."),
      "CamelRedis.Key": header("The key."),
      "CamelRedis.Keys": listHeader("Several keys."),
      "CamelRedis.Field": header("The field of a hash."),
      "CamelRedis.Fields": listHeader("Several fields."),
      "CamelRedis.Value": header("The value; the body by default."),
      "CamelRedis.Values": mapHeader("Several values, by name; for GEODIST, a list of two members."),
      "CamelRedis.Start": f.integer({ doc: "Start of a range." }),
      "CamelRedis.End": f.integer({ doc: "End of a range." }),
      "CamelRedis.Timeout": f.integer({ doc: "Seconds until a key expires or a wait ends; milliseconds for PEXPIRE." }),
      "CamelRedis.Timestamp": f.integer({ doc: "When a key expires, in seconds since the epoch; in milliseconds for PEXPIREAT." }),
      "CamelRedis.Offset": f.integer({ doc: "An offset in a value." }),
      "CamelRedis.Destination": header("The key that the result is stored under."),
      "CamelRedis.Channel": header("The channel to publish to, or the channel of a received message."),
      "CamelRedis.Pattern": header("The pattern that a message's channel matched."),
      "CamelRedis.Message": header("The message to publish; the body by default."),
      "CamelRedis.Index": f.integer({ doc: "An index in a list." }),
      "CamelRedis.Position": header("BEFORE or AFTER the pivot."),
      "CamelRedis.Pivot": header("The value before or after which another is inserted."),
      "CamelRedis.Count": f.integer({ doc: "The number of elements." }),
      "CamelRedis.Db": f.integer({ doc: "The number of a database." }),
      "CamelRedis.Score": f.number({ doc: "The score of a member." }),
      "CamelRedis.Min": f.number({ doc: "The lowest score." }),
      "CamelRedis.Max": f.number({ doc: "The highest score." }),
      "CamelRedis.Increment": f.number({ doc: "Amount by which a score is increased." }),
      "CamelRedis.WithScore": f.boolean({ doc: "Whether scores are returned." }),
      "CamelRedis.Latitude": f.number({ doc: "A latitude." }),
      "CamelRedis.Longitude": f.number({ doc: "A longitude." }),
      "CamelRedis.Radius": f.number({ doc: "A distance in meters." }),
    },
    examples: [],
    connect: (host) => ({
      source: (endpoint, scope) => redisSource(endpoint, scope, host, deadLetters),
      sink: (endpoint, scope) => redisSink(endpoint, scope),
    }),
  });
}
