// The topic routers of Camel's Kafka component: they set the topic of a following `kafka:` endpoint.
import { defineBean, FlowError, type Exchange } from "@sluice/engine/spi";
import { asText, compileDateFormat, compilePattern, zoneOf } from "@sluice/engine/values";
import { parseDate } from "./parse-date.ts";
import { namesIn, objectBody, textProperty } from "./json-object.ts";
import { transformClasses } from "./transform-classes.ts";

const commonMembers = { kind: "function", group: "kafka", since: "0.1", properties: {} } as const;
const topicHeader = "kafka.TOPIC";
const overrideTopic = "kafka.OVERRIDE_TOPIC";

export const regexRouter = defineBean({
  ...commonMembers,
  names: transformClasses("RegexRouter"),
  title: "Regex router",
  summary:
    "Replaces the topic, and the value of the header `ce-type`, if the exchange property `regex` matches the whole value; `replacement` may refer to groups.",
  create:
    () =>
    (exchange: Exchange): void => {
      const pattern = compilePattern(textProperty(exchange, "regex") ?? "");
      const replacement = textProperty(exchange, "replacement") ?? "";
      const { headers } = exchange.message;
      for (const [name, target] of [
        [topicHeader, overrideTopic],
        ["ce-type", "ce-type"],
      ] as const) {
        const value = headers.get(name);
        const text = value === undefined || value === null ? "" : asText(value);
        if (text !== "" && pattern.matches(text)) headers.set(target, pattern.replaceFirst(text, replacement));
      }
    },
});

export const timestampRouter = defineBean({
  ...commonMembers,
  names: transformClasses("TimestampRouter"),
  title: "Timestamp router",
  summary: "Sets the topic from `topicFormat` with `$[topic]` and `$[timestamp]`; the time comes from a header.",
  create:
    () =>
    (exchange: Exchange): void => {
      const { headers } = exchange.message;
      const raw = headers.get(textProperty(exchange, "timestampHeaderName") ?? "kafka.TIMESTAMP");
      const time = raw instanceof Date ? raw.getTime() : toInteger(raw);
      const topic = headers.get(textProperty(exchange, "topicHeaderName") ?? topicHeader);
      if (time !== undefined) headers.set(overrideTopic, topicAt(exchange, topic, time));
    },
});

export const messageTimestampRouter = defineBean({
  ...commonMembers,
  names: transformClasses("MessageTimestampRouter"),
  title: "Message timestamp router",
  summary: "Sets the topic from `topicFormat` with `$[topic]` and `$[timestamp]`; the time comes from a field of the body.",
  create:
    () =>
    (exchange: Exchange): void => {
      const body = objectBody(exchange);
      const raw = namesIn(exchange.property("timestampKeys"))
        .map((key) => body[key])
        .find((value) => value !== undefined && value !== null && value !== "");
      if (raw === undefined) return;
      const format = textProperty(exchange, "timestampKeyFormat");
      const time = format === undefined || format.toLowerCase() === "timestamp" ? toInteger(raw) : parseDate(asText(raw), format);
      if (time !== undefined) exchange.message.headers.set(overrideTopic, topicAt(exchange, exchange.message.headers.get(topicHeader), time));
    },
});

function topicAt(exchange: Exchange, topic: unknown, time: number): string {
  const format = compileDateFormat(textProperty(exchange, "timestampFormat") ?? "yyyyMMdd");
  const name = topic === undefined || topic === null ? "" : asText(topic);
  const text = textProperty(exchange, "topicFormat") ?? "$[topic]-$[timestamp]";
  return text.replaceAll("$[topic]", () => name).replaceAll("$[timestamp]", () => format(time, zoneOf("UTC")));
}

function toInteger(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const text = asText(value).trim();
  if (/^[+-]?\d{1,16}$/.test(text)) return Number(text);
  throw new FlowError("java.lang.NumberFormatException", `'${text.slice(0, 60)}' is not a time in milliseconds since 1970`, { code: "kafka-transform" });
}
