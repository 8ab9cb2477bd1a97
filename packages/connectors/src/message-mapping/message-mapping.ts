// Maps the body with an installed message-mapping document. The document is looked up for each message, so that a replaced one
// applies from the next message on.
import { defineConnector, FlowError, type Headers } from "@sluice/engine/spi";
import { inSlices } from "@sluice/engine/tools";
import { f } from "@sluice/model";

/** Access to the runtime's documents. */
export interface MessageMappingPort {
  /** Undefined when no such document is installed. */
  find(id: string): RunnableMapping | undefined;
}

interface RunnableMapping {
  /** Why the document cannot be used. */
  readonly error: string | undefined;
  readonly mapping: CompiledDocument | undefined;
}

interface CompiledDocument {
  readonly contentType: string;
  run(input: MappingInput): MappingResult;
  /** For long bodies: works in slices. */
  runIncrementally(input: MappingInput): Generator<undefined, MappingResult>;
}

interface MappingInput {
  readonly body: unknown;
  readonly headers: Headers;
  readonly params: Readonly<Record<string, unknown>>;
  readonly now: number;
}

interface MappingResult {
  readonly output: unknown;
  readonly errors: readonly MappingError[];
}

interface MappingError {
  readonly message: string;
  /** `input` when the message, or a part of it, could not be parsed. */
  readonly code: string;
  /** The target field; empty when the error concerns the whole message. */
  readonly field: string;
}

/** Default without a server: no documents. */
export const noMappings: MessageMappingPort = { find: () => undefined };

const path = { mapping: f.string({ doc: "Id of the document.", required: true, names: "mapping-document" }) };

export function messageMappingConnector(port: MessageMappingPort) {
  return defineConnector({
    scheme: "message-mapping",
    title: "Message mapping",
    summary: "Maps the body with an installed message-mapping document.",
    guarantees:
      "The document is looked up for each message: a replaced document applies from the next message on. Long bodies are mapped in slices, so that other messages make progress.",
    group: "transformation",
    icon: "shuffle",
    paletteGroup: "data",
    card: { title: "Map message", subtitle: "{mapping}" },
    since: "0.1",
    keywords: ["map", "transform", "convert"],
    syntax: "message-mapping:mapping",
    roles: ["sink"],
    local: true,
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
          const { contentType, run, runIncrementally } = compiledOf(port, id);
          const input = { body: message.body, headers: message.headers, params: extra, now: clock.now() };
          const finish = ({ output, errors }: MappingResult): void => {
            if (errors.length > 0) throw failure(id, errors);
            message.body = output;
            message.headers.set("Content-Type", contentType);
          };
          return isLong(message.body) ? inSlices(runIncrementally(input), clock).then(finish) : finish(run(input));
        },
      }),
    }),
  });
}

/** Bodies of this many characters or bytes are mapped in slices, so that other runs are not blocked. */
const longBodyLength = 256 * 1024;

const isLong = (body: unknown): boolean => (typeof body === "string" || body instanceof Uint8Array) && body.length >= longBodyLength;

function compiledOf(port: MessageMappingPort, id: string): CompiledDocument {
  const found = port.find(id);
  if (found?.mapping !== undefined) return found.mapping;
  const problem = found === undefined ? `message mapping '${id}' not found` : `message mapping '${id}': ${found.error ?? "it has errors"}`;
  throw new FlowError("java.lang.IllegalArgumentException", problem, { code: "mapping-unknown" });
}

/** Only a body that cannot be parsed is the fault of the sender; errors of rules and tables are errors of the flow. */
function failure(mapping: string, errors: readonly MappingError[]): FlowError {
  const clientFault = errors.every(({ code, field }) => code === "input" && field === "");
  return new FlowError("org.apache.camel.TypeConversionException", errors.map(({ message }) => message).join("; "), {
    code: "mapping-failed",
    details: { mapping, ...(clientFault ? { clientFault } : {}) },
  });
}
