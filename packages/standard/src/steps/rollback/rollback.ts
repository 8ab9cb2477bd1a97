import { defineStep, ending, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Fails the exchange in a way that doCatch cannot recover from. */
export const rollback = defineStep({
  name: "rollback",
  title: "Rollback",
  summary: "Fails the exchange with an error that no error handler can handle, or ends it without a failure.",
  guarantees:
    "The step stores nothing between messages. Inside transacted, the statements are rolled back; messages that were already sent cannot be recalled. The failure is not retried, and no onException clause can handle it.",
  group: "errors",
  icon: "undo",
  paletteGroup: "errors",
  card: { title: "Roll back", subtitle: "{message}" },
  since: "0.1",
  shorthand: "message",
  options: {
    message: f.text({ doc: "The reason; literal text without expressions.", default: "Intended rollback" }),
    markRollbackOnly: f.boolean({ doc: "Ends the exchange without a failure.", default: false }),
    markRollbackOnlyLast: f.boolean({ doc: "Same as markRollbackOnly: nested transactions are not supported.", default: false, group: "advanced" }),
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
