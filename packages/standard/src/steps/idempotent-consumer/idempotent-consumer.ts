import { asText, defineStep, ending, FlowError, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { IdempotentRepository } from "../../beans/idempotent-repository.ts";
import { sessionKey } from "../session-key.ts";
import { settle } from "../settle.ts";
import { whenOver } from "../when-over.ts";

/** Runs its steps once per key. The key is freed when the exchange fails, so that a retry gets through. */
export const idempotentConsumer = defineStep({
  name: "idempotentConsumer",
  title: "Idempotent consumer",
  summary: "Runs its steps only for messages that were not seen before.",
  group: "resilience",
  icon: "fingerprint",
  since: "0.1",
  keepsState: true,
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "What makes a message the same as another.", required: true, inline: true }),
    idempotentRepository: f.string({ doc: "Where seen keys are kept: a bean's name or #class:<type>.", required: true }),
    eager: f.boolean({ doc: "Takes the key on entry, so that a second message at the same time counts as a duplicate.", default: true }),
    completionEager: f.boolean({ doc: "Confirms the key at the end of the block instead of the end of the exchange.", default: false }),
    skipDuplicate: f.boolean({ doc: "Duplicates skip the steps; otherwise they only get property CamelDuplicateMessage.", default: true }),
    removeOnFailure: f.boolean({ doc: "Frees the key when the exchange fails.", default: true }),
    steps: f.steps({ doc: "Steps for new messages.", default: [] }),
  },
  examples: [
    {
      title: "Once per order",
      yaml: `idempotentConsumer: {header: orderId, idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", steps: [{setBody: {constant: done}}]}`,
      given: { headers: { orderId: "7" } },
      expect: { body: "done" },
    },
  ],
  compile({ expression, idempotentRepository, eager, completionEager, skipDuplicate, removeOnFailure, steps }, compiler) {
    const keyOf = compiler.expression(expression);
    const run = compiler.steps(steps);
    const repository = compiler.registry.bean(idempotentRepository, "idempotent-repository") as IdempotentRepository;
    const close = (key: string, failed: boolean): void => {
      if (failed && removeOnFailure) repository.remove(key);
      else if (eager) repository.confirm(key);
      else if (!failed) repository.add(key);
    };
    return (exchange) => {
      const id = asText(keyOf(exchange));
      if (id === "")
        throw new FlowError("org.apache.camel.processor.idempotent.NoMessageIdException", `No message ID could be found using expression: ${expression.text}`, {
          code: "message-id-missing",
        });
      const key = sessionKey(exchange, id);
      const isNew = eager ? repository.add(key) : !repository.contains(key);
      if (!isNew) {
        exchange.setProperty("CamelDuplicateMessage", true);
        return skipDuplicate ? exchange.passOver() : run(exchange);
      }
      if (!completionEager) {
        whenOver(exchange, (over) => close(key, hasFailed(over)));
        return run(exchange);
      }
      return settle(
        () => run(exchange),
        () => close(key, hasFailed(exchange)),
        (error) => {
          close(key, true);
          throw error;
        },
      );
    };
  },
});

/** A failure that an error handler dealt with is still no success: the work was not done. */
function hasFailed(exchange: Exchange): boolean {
  return exchange.failure !== undefined || exchange.ending === ending.handled || exchange.ending === ending.rolledBack;
}
