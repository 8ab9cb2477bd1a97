import { defineStep, ending, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Gives up on the exchange in a way that no doCatch can undo. */
export const rollback = defineStep({
  name: "rollback",
  title: "Rollback",
  summary: "Fails the exchange so that it cannot be saved, or ends it quietly.",
  group: "errors",
  icon: "undo",
  since: "0.1",
  shorthand: "message",
  options: {
    message: f.text({ doc: "Why, taken as written.", default: "Intended rollback" }),
    markRollbackOnly: f.boolean({ doc: "Ends the exchange without a failure.", default: false }),
    markRollbackOnlyLast: f.boolean({ doc: "As markRollbackOnly: there are no nested transactions here.", default: false, group: "advanced" }),
  },
  examples: [{ title: "Not today", yaml: "rollback: not today", expect: { error: "not today" } }],
  compile({ message, markRollbackOnly, markRollbackOnlyLast }) {
    if (markRollbackOnly || markRollbackOnlyLast) {
      return (exchange) => {
        exchange.ending = ending.rolledBack;
      };
    }
    return () => {
      throw new FlowError("org.apache.camel.RollbackExchangeException", message, { code: "rollback", rollback: true });
    };
  },
});
