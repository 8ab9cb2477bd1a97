import { defineStep, ending, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Fails the exchange in a way that doCatch cannot recover. */
export const rollback = defineStep({
  name: "rollback",
  title: "Rollback",
  summary: "Fails the exchange so that no clause can recover it, or ends it without a failure.",
  group: "errors",
  icon: "undo",
  since: "0.1",
  shorthand: "message",
  options: {
    message: f.text({ doc: "The reason; literal text without expressions.", default: "Intended rollback" }),
    markRollbackOnly: f.boolean({ doc: "Ends the exchange without a failure.", default: false }),
    markRollbackOnlyLast: f.boolean({ doc: "As markRollbackOnly: nested transactions are not supported.", default: false, group: "advanced" }),
  },
  examples: [{ title: "Roll back", yaml: "rollback: order rejected", expect: { error: "order rejected" } }],
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
