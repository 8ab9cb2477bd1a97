import { defineStep, ending } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Passes a sample of the messages; the others end without a failure. */
export const sample = defineStep({
  name: "sample",
  title: "Sample",
  summary: "Lets a sample of the messages continue; the others end here.",
  guarantees: "Messages that are not sampled end without a failure. The state is stored in memory, per deployment.",
  group: "routing",
  icon: "percent",
  paletteGroup: "speed",
  card: { title: "Take a sample" },
  since: "0.1",
  stateScope: "node",
  shorthand: "samplePeriod",
  options: {
    samplePeriod: f.duration({ doc: "Only the first message of each period continues.", default: 1000 }),
    messageFrequency: f.integer({ doc: "Only every nth message continues; samplePeriod is then ignored.", default: 0, min: 0 }),
  },
  examples: [{ title: "The first message continues", yaml: "sample: 5s", given: { body: "a" }, expect: { body: "a" } }],
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
