import { defineStep, asText, type LogLevel } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { template } from "../template.ts";

/** Writes one line to the log; the text is made only when somebody would see it. */
export const log = defineStep({
  name: "log",
  title: "Log",
  summary: "Writes a line to the log.",
  group: "message",
  icon: "scroll",
  since: "0.1",
  shorthand: "message",
  options: {
    message: f.text({
      doc: "The text; may contain Simple expressions.",
      required: true,
      examples: ["got ${body}"],
    }),
    loggingLevel: f.enum(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"], {
      doc: "Level of the record; OFF writes nothing.",
      default: "INFO",
    }),
    logName: f.string({
      doc: "Logger the record is written under, may contain Simple; the route's id when not given.",
    }),
    logLanguage: f.string({
      doc: "Language of the message.",
      default: "simple",
      group: "advanced",
    }),
    marker: f.string({
      doc: "A word kept with the record, to find records of one purpose.",
      group: "advanced",
    }),
    logger: f.string({
      doc: "Accepted without effect: records always go to the runtime's log.",
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "What came in",
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
