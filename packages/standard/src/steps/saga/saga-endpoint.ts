import { asText, defineConnector, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sagaCoordinator, sagaHeader } from "./saga-coordinator.ts";

/** Ends the saga a message belongs to, for sagas that do not end by themselves. */
export const sagaEndpoint = defineConnector({
  scheme: "saga",
  title: "Saga",
  summary: "Completes or compensates the saga of the message.",
  group: "core",
  since: "0.1",
  syntax: "saga:action",
  path: { action: f.enum(["complete", "compensate"], { doc: "How the saga ends.", required: true }) },
  options: {},
  headers: { [sagaHeader]: f.string({ doc: "Id of the saga." }) },
  examples: [],
  connect(host) {
    const coordinator = sagaCoordinator(host);
    return {
      sink: (endpoint) => ({
        send(exchange) {
          const id = asText(exchange.message.headers.get(sagaHeader));
          if (coordinator.finish(id, endpoint.options.action === "complete" ? "completion" : "compensation")) return;
          throw new FlowError("org.apache.camel.CamelExchangeException", `there is no saga '${id}' to ${endpoint.options.action}`, { code: "saga-unknown" });
        },
      }),
    };
  },
});
