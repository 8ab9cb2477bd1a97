import { defineConnector, Message, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** A `seda:` connector that can only be polled: returns the messages that a test provides. */
export function polledQueue(...messages: readonly Message[]): ConnectorDeclaration & { readonly waits: number[] } {
  const waiting = [...messages];
  const waits: number[] = [];
  const declaration = defineConnector({
    scheme: "seda",
    title: "Polled queue",
    summary: "Returns messages.",
    group: "testing",
    since: "0.1",
    syntax: "seda:name",
    roles: ["poller"],
    path: { name: f.string({ doc: "Name.", required: true }) },
    options: {},
    headers: {},
    examples: [],
    connect: () => ({
      poller: () => ({
        receive: (timeoutMs) => {
          waits.push(timeoutMs);
          return waiting.shift();
        },
      }),
    }),
  });
  return Object.assign(declaration, { waits });
}
