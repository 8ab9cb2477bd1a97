import { asText, defineStep, FlowError, pause } from "@sluice/engine/spi";
import { f, parseDuration } from "@sluice/model";

/** Waits before the message goes on. Other messages are not held up. */
export const delay = defineStep({
  name: "delay",
  title: "Delay",
  summary: "Waits before going on.",
  group: "routing",
  icon: "clock",
  since: "0.1",
  options: {
    expression: f.expression({
      doc: "Milliseconds to wait, or a duration such as 10s; nothing, 0 or less waits not at all.",
      required: true,
      inline: true,
    }),
    asyncDelayed: f.boolean({
      doc: "Accepted without effect: waiting never blocks.",
      default: true,
      group: "advanced",
    }),
    callerRunsWhenRejected: f.boolean({
      doc: "Accepted without effect.",
      default: true,
      group: "advanced",
    }),
    executorService: f.string({ doc: "Accepted without effect.", group: "advanced" }),
  },
  examples: [
    {
      title: "A moment",
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
    throw new FlowError("org.apache.camel.TypeConversionException", `delay: '${text}' is no duration; give milliseconds or a text such as 10s`, {
      code: "delay-invalid",
    });
  return ms;
}
