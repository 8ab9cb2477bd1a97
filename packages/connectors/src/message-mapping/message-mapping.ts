// Turns the body into another with an installed message-mapping document. The document is looked for at each message, so
// that a replaced one counts from the next message on.
import { defineConnector, FlowError, type Headers } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** The documents of a runtime, as this connector uses them. */
export interface MessageMappingPort {
  /** Undefined when no such document is installed. */
  find(id: string): RunnableMapping | undefined;
}

interface RunnableMapping {
  /** Why the document is not in service. */
  readonly error: string | undefined;
  readonly mapping: CompiledDocument | undefined;
}

interface CompiledDocument {
  readonly contentType: string;
  run(input: { readonly body: unknown; readonly headers: Headers; readonly params: Readonly<Record<string, unknown>>; readonly now: number }): {
    readonly output: unknown;
    readonly errors: readonly { readonly message: string }[];
  };
}

/** What there is without a server: no document at all. */
export const noMappings: MessageMappingPort = { find: () => undefined };

const path = { mapping: f.string({ doc: "The document's id.", required: true }) };

export function messageMappingConnector(port: MessageMappingPort) {
  return defineConnector({
    scheme: "message-mapping",
    title: "Message mapping",
    summary: "Maps the body with an installed message-mapping document.",
    group: "transformation",
    icon: "shuffle",
    since: "0.1",
    syntax: "message-mapping:mapping",
    workers: "any",
    path,
    options: {},
    lenient: true,
    headers: {},
    examples: [
      {
        title: "An order, with the installed document `order-to-invoice`",
        yaml: "to: message-mapping:order-to-invoice",
        given: { body: { orderNo: "A-1", total: 12 } },
        expect: { body: { invoice: { order: "A-1", amount: 12 } } },
      },
    ],
    connect: ({ clock }) => ({
      sink: ({ options: { mapping: id }, extra }) => ({
        send({ message }) {
          const { contentType, run } = compiledOf(port, id);
          const { output, errors } = run({ body: message.body, headers: message.headers, params: extra, now: clock.now() });
          if (errors.length > 0)
            throw failure(
              id,
              errors.map((error) => error.message),
            );
          message.body = output;
          message.headers.set("Content-Type", contentType);
        },
      }),
    }),
  });
}

function compiledOf(port: MessageMappingPort, id: string): CompiledDocument {
  const found = port.find(id);
  if (found?.mapping !== undefined) return found.mapping;
  const why = found === undefined ? `message mapping '${id}' not found` : `message mapping '${id}': ${found.error ?? "it is not in service"}`;
  throw new FlowError("java.lang.IllegalArgumentException", why, { code: "mapping-unknown" });
}

function failure(mapping: string, messages: readonly string[]): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", messages.join("; "), { code: "mapping-failed", details: { mapping, clientFault: true } });
}
