// What a runtime offers to its own flows under the scheme `sluice`: the dead-letter store.
import { CompileError, defineConnector, FlowError, type ConnectorDeclaration, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** The port to the dead-letter store. */
export interface DeadLetters {
  /** Resolves when the exchange's message and failure are on disk. */
  keep(exchange: Exchange): Promise<void>;
}

export const noDeadLetters: DeadLetters = {
  keep: () => Promise.reject(new FlowError("java.lang.IllegalStateException", "this runtime has no dead-letter store", { code: "store-missing" })),
};

export function sluiceConnector(deadLetters: DeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "sluice",
    title: "Sluice",
    summary: "Keeps messages that could not be processed in the runtime's dead-letter store.",
    group: "core",
    icon: "archive",
    since: "0.1",
    syntax: "sluice:name",
    path: { name: f.string({ doc: "What of the runtime is meant: `dead-letters`.", required: true, examples: ["dead-letters"] }) },
    options: {},
    headers: {},
    examples: [
      {
        title: "Keep what fails",
        yaml: `- route:
    id: example
    errorHandler:
      deadLetterChannel:
        deadLetterUri: sluice:dead-letters
        useOriginalMessage: true
    from:
      uri: direct:start
      steps:
        - unmarshal:
            json: {}
`,
        given: { body: "no JSON" },
        expect: { body: "no JSON" },
      },
    ],
    connect: () => ({
      sink({ options: { name } }) {
        if (name !== "dead-letters") throw new CompileError("endpoint-unknown", `there is no 'sluice:${name}'`, { hint: "sluice:dead-letters" });
        return { send: (exchange) => deadLetters.keep(exchange) };
      },
    }),
  });
}
