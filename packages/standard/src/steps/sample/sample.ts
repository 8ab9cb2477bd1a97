import { defineStep, ending } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Lets one message through now and then; the others end here, without a failure. */
export const sample = defineStep({
  name: "sample",
  title: "Sample",
  summary: "Lets one message of many pass; the others end here.",
  group: "routing",
  icon: "percent",
  since: "0.1",
  keepsState: true,
  shorthand: "samplePeriod",
  options: {
    samplePeriod: f.duration({ doc: "Only the first message of each period passes.", default: 1000 }),
    messageFrequency: f.integer({ doc: "Every so many messages one passes; then the period does not count.", default: 0, min: 0 }),
  },
  examples: [{ title: "The first passes", yaml: "sample: 5s", given: { body: "a" }, expect: { body: "a" } }],
  compile({ samplePeriod, messageFrequency }, compiler) {
    const passes = messageFrequency > 0 ? everyNth(messageFrequency) : firstOfPeriod(samplePeriod, () => compiler.host.clock.monotonic());
    return (exchange) => {
      if (!passes()) exchange.ending = ending.stopped;
    };
  },
});

function everyNth(frequency: number): () => boolean {
  let count = 0;
  return () => {
    count = (count + 1) % frequency;
    return count === 0;
  };
}

function firstOfPeriod(periodMs: number, now: () => number): () => boolean {
  let until = -Infinity;
  return () => {
    if (now() < until) return false;
    until = now() + periodMs;
    return true;
  };
}
