import { copyExchange, defineStep, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { OrderedDelivery } from "../ordered-delivery.ts";
import { BatchResequencer } from "./batch-resequencer.ts";
import { Sequences } from "./sequences.ts";
import { StreamResequencer } from "./stream-resequencer.ts";

const ignoreInvalidExchanges = f.boolean({ doc: "Lets messages without a key pass instead of failing them.", default: false });

/** Puts messages in order. The sender's message passes on at once; the ordered copies run the inner steps. */
export const resequence = defineStep({
  name: "resequence",
  title: "Resequence",
  summary: "Puts messages in order before they go on.",
  group: "splitting",
  icon: "arrow-up-narrow-wide",
  since: "0.1",
  keepsState: true,
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "What to order by; numbers, also as text, by size.", required: true, inline: true }),
    batchConfig: f.object(
      {
        batchSize: f.integer({ doc: "A batch is sorted when it holds so many.", default: 100, min: 1, max: 100_000 }),
        batchTimeout: f.duration({ doc: "A batch is sorted after so long, full or not.", default: 1000 }),
        allowDuplicates: f.boolean({ doc: "Keeps messages with equal keys; otherwise only the first stays.", default: false }),
        reverse: f.boolean({ doc: "Highest first.", default: false }),
        ignoreInvalidExchanges,
      },
      { doc: "Sorts batch by batch; this is the default." },
    ),
    streamConfig: f.object(
      {
        capacity: f.integer({ doc: "How many may wait; then the first goes although others are missing.", default: 1000, min: 1, max: 100_000 }),
        timeout: f.duration({ doc: "How long to wait for a missing predecessor.", default: 1000 }),
        rejectOld: f.boolean({ doc: "Fails messages that should have gone before one already delivered.", default: false }),
        deliveryAttemptInterval: f.duration({ doc: "Accepted without effect: deliveries happen when they are due.", default: 1000 }),
        ignoreInvalidExchanges,
      },
      { doc: "Sorts a stream of numbered messages, closing gaps as they come." },
    ),
    steps: f.steps({ doc: "Steps for the ordered messages.", default: [] }),
  },
  examples: [
    { title: "The sender goes on at once", yaml: 'resequence: {simple: "${body}", steps: [{to: "mock:sorted"}]}', given: { body: "b" }, expect: { body: "b" } },
  ],
  compile({ expression, batchConfig, streamConfig, steps }, compiler) {
    const keyOf = compiler.expression(expression);
    const { host, tasks } = compiler;
    const delivery = new OrderedDelivery(tasks, compiler.steps(steps));
    const deliver = delivery.push.bind(delivery);
    const sequence = (): BatchResequencer | StreamResequencer =>
      streamConfig === undefined
        ? new BatchResequencer(batchConfig ?? { batchSize: 100, batchTimeout: 1000, allowDuplicates: false, reverse: false }, host.clock, deliver)
        : new StreamResequencer(streamConfig, host.clock, deliver);
    const sequencer = tasks.state("sequence", () => new Sequences(sequence));
    const ignores = (streamConfig ?? batchConfig)?.ignoreInvalidExchanges === true;
    return (exchange) => {
      const key = keyOf(exchange);
      if (sequencer.accepts(key)) sequencer.add(key, copyExchange(exchange, host.ids));
      else if (!ignores)
        throw new FlowError("org.apache.camel.CamelExchangeException", `resequence: the message cannot be ordered by '${String(key)}'`, {
          code: "resequence-key-invalid",
        });
    };
  },
});
