// Ends a saga manually. The `saga` step manages the saga and stores it on the exchange for its steps and the routes they call.
import { defineConnector, FlowError, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

/** The handle that the `saga` step stores in the exchange property {@link sagaProperty}. */
interface OpenSaga {
  complete(exchange: Exchange): Awaitable;
  compensate(exchange: Exchange): Awaitable;
}

export const sagaProperty = "SluiceSaga";

const path = { action: f.enum(["complete", "compensate"], { doc: "How the saga ends.", required: true }) };

export const saga = defineConnector({
  scheme: "saga",
  title: "Saga end",
  summary: "Completes or compensates the saga of the message.",
  guarantees:
    "Ends the saga once; a second call has no effect. Completion and compensation endpoints are called as separate runs. Sagas are stored in memory and are lost in a crash, except in a cluster.",
  group: "core",
  icon: "book-check",
  since: "0.1",
  syntax: "saga:action",
  roles: ["sink"],
  path,
  options: sinkFields,
  headers: { "Long-Running-Action": f.string({ doc: "Id of the saga." }) },
  examples: [
    {
      title: "End a saga manually",
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
        const openSaga = exchange.property(sagaProperty) as OpenSaga | undefined;
        if (openSaga === undefined)
          throw new FlowError(
            "java.lang.IllegalStateException",
            `saga:${action} was called outside a saga; use it in the steps of a saga with completionMode MANUAL`,
            { code: "saga-missing" },
          );
        return openSaga[action](exchange);
      },
    }),
  }),
});
