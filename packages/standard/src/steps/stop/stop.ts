import { defineStep, ending } from "@sluice/engine/spi";

export const stop = defineStep({
  name: "stop",
  title: "Stop",
  summary: "Ends the exchange here; the caller gets the message as it is.",
  group: "routing",
  icon: "octagon",
  since: "0.1",
  options: {},
  examples: [{ title: "End early", yaml: "stop: {}", given: { body: "a" }, expect: { body: "a" } }],
  compile() {
    return (exchange) => {
      exchange.ending = ending.stopped;
    };
  },
});
