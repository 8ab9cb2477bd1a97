// Writes messages, or their throughput, to the log of the runtime.
import { defineConnector, type Connector, type Endpoint, type Host, type LogLevel, type Sink } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { exchangeFormatter, formatOptions } from "./exchange-formatter.ts";
import { Throughput } from "./throughput.ts";

const path = { loggerName: f.string({ doc: "Name of the logger.", required: true }) };

const options = {
  ...sinkFields,
  level: f.enum(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"], { doc: "Log level; OFF writes nothing.", default: "INFO" }),
  marker: f.string({ doc: "A marker stored with each record, for filtering.", group: "advanced" }),
  groupSize: f.integer({ doc: "Writes a summary after this many messages instead of every message; ignored with groupInterval.", min: 1 }),
  groupInterval: f.duration({ doc: "Writes a summary at this interval instead of every message." }),
  groupDelay: f.duration({ doc: "Delay before the first interval.", default: 0, group: "advanced" }),
  groupActiveOnly: f.boolean({ doc: "Whether intervals without messages are skipped.", default: true, group: "advanced" }),
  ...formatOptions,
  plain: f.boolean({ doc: "Whether only the body is written, without labels.", default: false }),
  sourceLocationLoggerName: f.boolean({ doc: "Accepted but ignored: records always contain their route and step.", default: false, group: "advanced" }),
};

type Options = Values<typeof path> & Values<typeof options>;

export const log = defineConnector({
  scheme: "log",
  title: "Log",
  summary: "Writes the message, or a summary of many, to the log.",
  guarantees:
    "Records are written in the order in which messages arrive, and are truncated to maxChars. Values that look like credentials are masked unless logMask is false. Summary counters are kept in memory and reset on restart.",
  group: "core",
  icon: "scroll-text",
  paletteGroup: "watch",
  card: { subtitle: "{loggerName}" },
  since: "0.1",
  syntax: "log:loggerName",
  roles: ["sink"],
  local: true,
  workers: "any",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "Log each order",
      yaml: `to: {uri: "log:orders", parameters: {showHeaders: "true"}}`,
      given: { body: "order" },
      expect: { body: "order" },
    },
  ],
  connect: (host): Connector<Options> => ({ sink: (endpoint) => logSink(endpoint, host) }),
});

function logSink({ options }: Endpoint<Options>, host: Host): Sink {
  const { loggerName, marker, groupSize, groupInterval } = options;
  if (options.level === "OFF") return { send: () => undefined };
  const level: LogLevel = options.level;
  const fields = marker === undefined ? undefined : { marker };
  if (groupSize !== undefined || groupInterval !== undefined) {
    return new Throughput(host.clock, (text) => host.log.write(level, loggerName, text, undefined, fields), {
      groupSize,
      groupInterval,
      groupDelay: options.groupDelay,
      groupActiveOnly: options.groupActiveOnly,
    });
  }
  const format = exchangeFormatter(options, host.mask ?? ((text) => text));
  return {
    send(exchange) {
      if (host.log.enabled(level)) host.log.write(level, loggerName, format(exchange), exchange, fields);
    },
  };
}
