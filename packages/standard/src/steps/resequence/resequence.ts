import { defineStep, FlowError } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { OrderedDelivery } from "../ordered-delivery.ts";
import { BatchResequencer } from "./batch-resequencer.ts";
import { Sequences } from "./sequences.ts";
import { StreamResequencer } from "./stream-resequencer.ts";

const ignoreInvalidExchanges = f.boolean({ doc: "Lets messages without a valid key continue instead of failing.", default: false });

/** Sorts messages. The original continues immediately; the sorted copies run the nested steps. */
export const resequence = defineStep({
  name: "resequence",
  title: "Resequence",
  summary: "Sorts messages and processes them in order.",
  guarantees:
    "An added message continues immediately; its sorted copy runs the nested steps as a separate run, one copy at a time. Waiting messages are stored in memory: they are delivered when the flow stops, but lost in a crash. A batch has at most batchSize messages, a stream at most capacity. With several workers, the route runs in one of them.",
  group: "splitting",
  icon: "arrow-up-narrow-wide",
  paletteGroup: "repeat",
  card: { title: "Put in order", subtitle: "by {expression}" },
  since: "0.1",
  stateScope: "one",
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "The sort key; numbers are compared by value, even if they are strings.", required: true, inline: true }),
    batchConfig: f.object(
      {
        batchSize: f.integer({ doc: "Sorts a batch when it has this many messages.", default: 100, min: 1, max: 100_000 }),
        batchTimeout: f.duration({ doc: "Sorts a batch after this time, even if it is not full.", default: 1000 }),
        allowDuplicates: f.boolean({ doc: "Delivers all messages with equal keys; otherwise only the first one.", default: false }),
        reverse: f.boolean({ doc: "Sorts in descending order.", default: false }),
        ignoreInvalidExchanges,
      },
      { doc: "Sorts messages in batches; the default." },
    ),
    streamConfig: f.object(
      {
        comparator: f.unsupported("comparator refers to a Java object; sort by the value of the expression"),
        capacity: f.integer({
          doc: "Maximum number of waiting messages; above it, the first one is delivered despite a gap.",
          default: 1000,
          min: 1,
          max: 100_000,
        }),
        timeout: f.duration({ doc: "How long to wait for a missing predecessor.", default: 1000 }),
        rejectOld: f.boolean({ doc: "Fails a message if a message with the same or a higher number was already delivered.", default: false }),
        deliveryAttemptInterval: f.duration({ doc: "Accepted but ignored: messages are delivered when they are due.", default: 1000 }),
        ignoreInvalidExchanges,
      },
      { doc: "Sorts a stream of numbered messages, waiting for missing numbers." },
    ),
    steps: f.steps({ doc: "Steps that process the sorted messages.", default: [] }),
  },
  examples: [
    {
      title: "The original continues immediately",
      yaml: 'resequence: {simple: "${body}", steps: [{to: "mock:sorted"}]}',
      given: { body: "b" },
      expect: { body: "b" },
    },
  ],
  compile({ expression, batchConfig, streamConfig, steps }, compiler) {
    const keyOf = compiler.expression(expression);
    const { host, tasks } = compiler;
    const delivery = new OrderedDelivery(tasks, compiler.steps(steps));
    const deliver = delivery.push.bind(delivery);
    const createSequencer = (): BatchResequencer | StreamResequencer =>
      streamConfig === undefined
        ? new BatchResequencer(batchConfig ?? { batchSize: 100, batchTimeout: 1000, allowDuplicates: false, reverse: false }, host.clock, deliver)
        : new StreamResequencer(streamConfig, host.clock, deliver);
    const sequencer = tasks.state("sequence", () => new Sequences(createSequencer));
    const ignoresInvalid = (streamConfig ?? batchConfig)?.ignoreInvalidExchanges === true;
    return (exchange) => {
      const key = keyOf(exchange);
      if (sequencer.accepts(key)) sequencer.add(key, copyExchange(exchange, host.ids));
      else if (!ignoresInvalid)
        throw new FlowError(
          "org.apache.camel.CamelExchangeException",
          `'${String(key)}' is not a valid sort key for resequence; ${streamConfig === undefined ? "return a value" : "with streamConfig, return a number"}`,
          { code: "resequence-key-invalid" },
        );
    };
  },
});
