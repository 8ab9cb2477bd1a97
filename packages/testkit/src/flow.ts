// Runs a flow in a test: a few lines of YAML in, a message out.
import {
  createRuntime,
  Headers,
  Message,
  type BeanDeclaration,
  type ConnectorDeclaration,
  type Delivery,
  type Exchange,
  type RunListener,
  type Runtime,
  type RuntimeLimits,
} from "@sluice/engine";
import { catalogOf } from "./catalog-of.ts";
import { FakeHost } from "./fake-host.ts";
import { recordingConnectors, type Received } from "./recording-connectors.ts";

export interface InputMessage {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly delivery?: Delivery;
}

export interface Outcome {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  readonly exchange: Exchange;
}

export interface FlowUnderTest {
  (input?: InputMessage): Promise<Outcome>;
  /** Sends to another route of the document. */
  send(endpoint: string, input?: InputMessage): Promise<Outcome>;
  readonly mocks: ReadonlyMap<string, readonly Received[]>;
  readonly host: FakeHost;
  readonly runtime: Runtime;
  stop(): Promise<void>;
}

export interface FlowOptions {
  readonly properties?: Readonly<Record<string, string>>;
  readonly limits?: Partial<RuntimeLimits>;
  readonly host?: FakeHost;
  /** Connectors in addition to `direct` and `mock`. */
  readonly connectors?: readonly ConnectorDeclaration[];
  /** Beans in addition to the standard ones, such as an operator's functions. */
  readonly beans?: readonly BeanDeclaration[];
  /** Run events, as the service receives them. */
  readonly listener?: Partial<RunListener>;
}

/** Messages are sent in a test session. They may name any endpoint for dynamic steps, because opening a session requires the operator's token. */
const testSession = { id: "by-hand", skipTime: false };

/** The diagnostics of a document, as `line: message` strings; empty when there are none. */
export function diagnosticsOf(yaml: string, properties: Readonly<Record<string, string>> = {}): readonly string[] {
  const runtime = runtimeFor(new FakeHost(), recordingConnectors());
  return runtime.prepare(inputOf(document(yaml), properties)).diagnostics.map(({ span, message }) => `${span.line}: ${message}`);
}

/**
 * Deploys a document, or a list of steps, which becomes a route from `direct:start`, on a host controlled by the test. Throws every
 * diagnostic when the flow is invalid.
 */
export async function flow(yaml: string, options: FlowOptions = {}): Promise<FlowUnderTest> {
  const host = options.host ?? new FakeHost();
  const recording = recordingConnectors();
  const runtime = runtimeFor(host, recording, options);
  const { deployment, diagnostics } = runtime.prepare(inputOf(document(yaml), options.properties ?? {}));
  if (deployment === undefined) throw new Error(diagnostics.map(({ span, code, message }) => `line ${span.line}: ${code}: ${message}`).join("\n"));
  await runtime.deploy(deployment);
  const send = async (endpoint: string, input: InputMessage = {}): Promise<Outcome> => {
    const routeInput = runtime.routeInputOf(endpoint);
    if (routeInput === undefined) throw new Error(`no route consumes ${endpoint}`);
    const exchange = await routeInput.deliver(new Message(input.body ?? null, Headers.of(input.headers ?? {})), {
      session: testSession,
      ...input.delivery,
      ...(input.properties === undefined ? {} : { properties: new Map(Object.entries(input.properties)) }),
      ...(input.variables === undefined ? {} : { variables: new Map(Object.entries(input.variables)) }),
    });
    return { body: exchange.message.body, headers: exchange.message.headers.toObject(), error: exchange.failure?.message, exchange };
  };
  const first = runtime.routes.values().next().value?.from ?? "direct:start";
  return Object.assign((input?: InputMessage) => send(first, input), {
    send,
    mocks: recording.received,
    host,
    runtime,
    stop: async () => void (await runtime.stop()),
  });
}

function runtimeFor(
  host: FakeHost,
  recording: ReturnType<typeof recordingConnectors>,
  { limits = {}, connectors = [], beans = [], listener }: Pick<FlowOptions, "limits" | "connectors" | "beans" | "listener"> = {},
): Runtime {
  const ignore = (): void => undefined;
  return createRuntime({
    catalog: catalogOf([...recording.connectors, ...connectors], beans),
    host,
    limits,
    listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore, ...listener },
  });
}

function inputOf(source: string, properties: Readonly<Record<string, string>>) {
  return { id: "test", hash: "0", source, property: (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined) };
}

/** A list of steps is the body of one route; anything with a top-level key is already a document. */
function document(yaml: string): string {
  const text = yaml.replace(/^\n+/, "");
  const indent = /^ */.exec(text)?.[0].length ?? 0;
  const lines = text.split("\n").map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
  const dedented = lines.join("\n");
  if (
    /^- *(route|from|beans|onException|errorHandler|routeTemplate|templatedRoute|routeConfiguration|intercept\w*|onCompletion|dataFormats|rest\w*):/m.test(
      dedented,
    )
  )
    return dedented;
  const steps = dedented.trimStart().startsWith("-") ? lines : [`- ${lines[0]}`, ...lines.slice(1).map((line) => `  ${line}`)];
  return `- route:\n    id: start\n    from:\n      uri: direct:start\n      steps:\n${steps.map((line) => `        ${line}`).join("\n")}\n`;
}
