// Services of the runtime for its flows under the scheme `sluice`: the dead-letter store.
import { CompileError, defineConnector, FlowError, type ConnectorDeclaration, type Exchange, type Message } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** A message that a source stopped redelivering, as its system sent it. */
interface ExhaustedMessage {
  readonly message: Message;
  /** Number of deliveries. */
  readonly attempts: number;
}

/** Interface of the dead-letter store. */
export interface DeadLetters {
  /** Resolves when the exchange's failure and its message, or the original one, are on disk. */
  store(exchange: Exchange, exhausted?: ExhaustedMessage): Promise<void>;
}

export const noDeadLetters: DeadLetters = {
  store: () => Promise.reject(new FlowError("java.lang.IllegalStateException", "this runtime has no dead-letter store", { code: "store-missing" })),
};

export function sluiceConnector(deadLetters: DeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "sluice",
    title: "Sluice",
    summary: "Sends messages that could not be processed to the dead-letter store of the runtime.",
    guarantees:
      "The step continues when the message and its failure are on disk. Dead letters survive restarts. Their number and size are limited by settings (10,000 and 256 MB by default); above a limit the oldest are removed.",
    group: "core",
    icon: "archive",
    since: "0.1",
    keywords: ["error", "catch", "dead", "letter"],
    syntax: "sluice:name",
    roles: ["sink"],
    path: { name: f.string({ doc: "Must be `dead-letters`.", required: true, examples: ["dead-letters"] }) },
    options: {},
    headers: {},
    examples: [
      {
        title: "Store failed messages",
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
        given: { body: "not JSON" },
        expect: { body: "not JSON" },
      },
    ],
    connect: () => ({
      sink({ options: { name } }) {
        if (name !== "dead-letters") throw new CompileError("endpoint-unknown", `unknown endpoint 'sluice:${name}'`, { hint: "use sluice:dead-letters" });
        return { send: (exchange) => deadLetters.store(exchange) };
      },
    }),
  });
}
