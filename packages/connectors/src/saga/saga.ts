// Ends a saga by hand. The saga itself is kept by the `saga` step, which puts it on the exchange for its steps and the routes they call.
import { defineConnector, FlowError, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

/** What the `saga` step leaves in the exchange property {@link sagaProperty}. */
interface OpenSaga {
  complete(exchange: Exchange): Awaitable;
  compensate(exchange: Exchange): Awaitable;
}

export const sagaProperty = "SluiceSaga";

const path = { action: f.enum(["complete", "compensate"], { doc: "How the saga ends.", required: true }) };

export const saga = defineConnector({
  scheme: "saga",
  title: "Saga end",
  summary: "Completes or compensates the saga the message is part of.",
  group: "core",
  icon: "book-check",
  since: "0.1",
  syntax: "saga:action",
  path,
  options: sinkFields,
  headers: { "Long-Running-Action": f.string({ doc: "The saga's id." }) },
  examples: [
    {
      title: "Ending a saga by hand",
      yaml: `saga:
  completionMode: MANUAL
  steps:
    - setBody: {constant: booked}
    - to: saga:complete`,
      given: { body: "order" },
      expect: { body: "booked" },
    },
  ],
  connect: () => ({
    sink: ({ options: { action } }) => ({
      send(exchange) {
        const open = exchange.property(sagaProperty) as OpenSaga | undefined;
        if (open === undefined)
          throw new FlowError(
            "java.lang.IllegalStateException",
            `saga:${action} was reached outside of a saga; put it into the steps of a saga with completionMode MANUAL`,
            { code: "saga-missing" },
          );
        return open[action](exchange);
      },
    }),
  }),
});
