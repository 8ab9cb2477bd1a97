import { defineStep, FlowError } from "@sluice/engine/spi";
import { pause } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, parseDuration } from "@sluice/model";

/** Delays the message without blocking others. */
export const delay = defineStep({
  name: "delay",
  title: "Delay",
  summary: "Delays the message.",
  guarantees:
    "Waiting does not block a thread or other messages. Messages with different delays can overtake each other. A waiting message is in memory and counts as in flight.",
  group: "routing",
  icon: "clock",
  paletteGroup: "speed",
  card: { title: "Wait", subtitle: "{expression} ms" },
  since: "0.1",
  keywords: ["wait", "sleep", "pause"],
  options: {
    expression: f.expression({
      doc: "Milliseconds to wait, or a duration such as 10s. If the value is empty, 0 or negative, the step does not wait.",
      required: true,
      inline: true,
    }),
    asyncDelayed: f.boolean({
      doc: "Accepted but ignored: waiting never blocks a thread.",
      default: true,
      group: "advanced",
    }),
    callerRunsWhenRejected: f.boolean({
      doc: "Accepted but ignored.",
      default: true,
      group: "advanced",
    }),
    executorService: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [
    {
      title: "Wait 5 ms",
      yaml: 'delay: {constant: "5"}',
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ expression }, compiler) {
    const value = compiler.expression(expression);
    const { clock } = compiler.host;
    return (exchange) => pause(exchange, milliseconds(value(exchange)), clock);
  },
});

function milliseconds(value: unknown): number {
  if (typeof value === "number") return value;
  const text = asText(value).trim();
  if (text === "") return 0;
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new FlowError("org.apache.camel.TypeConversionException", `'${text}' is not a valid duration for delay; use milliseconds or text such as 10s`, {
      code: "delay-invalid",
    });
  return ms;
}
