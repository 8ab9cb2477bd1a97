import { defineStep, type LogLevel } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { template } from "../template.ts";

/** Writes one line to the log. The text is evaluated only when the level is enabled. */
export const log = defineStep({
  name: "log",
  title: "Log",
  summary: "Writes a line to the log.",
  guarantees: "The text is evaluated only when its level is enabled.",
  group: "message",
  icon: "scroll",
  paletteGroup: "watch",
  card: { subtitle: "{message}" },
  since: "0.1",
  shorthand: "message",
  options: {
    message: f.text({
      doc: "The text; may contain Simple expressions.",
      required: true,
      examples: ["got ${body}"],
    }),
    loggingLevel: f.enum(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"], {
      doc: "Log level; OFF writes nothing.",
      default: "INFO",
    }),
    logName: f.string({
      doc: "Logger name; may contain Simple expressions. Defaults to the id of the route.",
    }),
    logLanguage: f.string({
      doc: "Language of the message.",
      default: "simple",
      group: "advanced",
    }),
    marker: f.string({
      doc: "A marker stored with the record, for filtering.",
      group: "advanced",
    }),
    logger: f.string({
      doc: "Accepted but ignored: records always go to the runtime's log.",
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "Log the message",
      yaml: 'log: "order ${header.orderId}: ${body}"',
      given: { body: "ten apples", headers: { orderId: "7" } },
      expect: { body: "ten apples" },
    },
  ],
  compile({ message, loggingLevel, logName, logLanguage, marker }, compiler, node) {
    if (loggingLevel === "OFF") return () => undefined;
    const level: LogLevel = loggingLevel;
    const text =
      logLanguage === "simple"
        ? template(message, compiler, node.span)
        : compiler.expression({
            language: logLanguage,
            text: message,
            options: {},
            span: node.span,
          });
    const logger = template(logName ?? compiler.route.id, compiler, node.span);
    const fields = marker === undefined ? undefined : { marker };
    const { log: sink } = compiler.host;
    return (exchange) => {
      if (sink.enabled(level)) sink.write(level, logger(exchange), asText(text(exchange)), exchange, fields);
    };
  },
});
