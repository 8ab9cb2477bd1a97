import { defineStep, ending } from "@sluice/engine/spi";

export const stop = defineStep({
  name: "stop",
  title: "Stop",
  summary: "Ends the exchange; the caller gets the current message.",
  guarantees:
    "Steps after it do not run. The exchange counts as successful, so its source acknowledges the message. Inside split, multicast and recipientList only the current copy ends.",
  group: "routing",
  icon: "octagon",
  paletteGroup: "decide",
  since: "0.1",
  options: {},
  examples: [{ title: "End early", yaml: "stop: {}", given: { body: "a" }, expect: { body: "a" } }],
  compile() {
    return (exchange) => {
      exchange.ending = ending.stopped;
    };
  },
});
