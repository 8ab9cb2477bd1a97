// Runs one message through a flow without a server and returns the result of each step and of the run.
import { Headers, Message, type Exchange, type HttpReply, type SessionTag } from "@sluice/engine";
import { bodyTypeOf, toPlain } from "@sluice/engine/values";
import type { Diagnostic, MockBody } from "@sluice/model";
import { shownMessage, type ShownMessage } from "./shown-message.ts";
import type { LoggedLine } from "./simulated-host.ts";
import { startSimulated, type SimulatedFlow, type SimulatedRuntime } from "./simulated-runtime.ts";
import { SimulationMocks, type SimulatedCall } from "./simulation-mocks.ts";
import { mocksOfTests } from "./mocks-of-tests.ts";
import type { SimulatedStep } from "./step-recorder.ts";
import type { TestFile } from "./test-result.ts";

/** The input message and the route it is sent to. */
export interface Sample {
  readonly routeId: string;
  /** Text or bytes for a webhook; any value for other routes. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly pattern?: "InOut" | "InOnly";
  /** Starts at this top-level step instead of the trigger. */
  readonly fromStep?: string;
  /** For routes called over HTTP. */
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
}

export interface SimulationRequest extends SimulatedFlow {
  readonly sample: Sample;
  readonly mocks: readonly MockBody[];
  /** Tests whose mocks are used for steps without another mock. */
  readonly testFiles?: readonly TestFile[];
}

interface SimulatedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface SimulatedOutcome {
  readonly status: string;
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | null } | null;
  /** The HTTP response for a caller. */
  readonly reply: SimulatedReply | undefined;
}

export interface SimulationResult {
  /** Why the flow could not run; empty when it did. */
  readonly diagnostics: readonly Pick<Diagnostic, "message" | "code" | "span">[];
  readonly input: ShownMessage | undefined;
  readonly steps: readonly SimulatedStep[];
  readonly omittedSteps: number;
  readonly outcome: SimulatedOutcome | undefined;
  readonly calls: readonly SimulatedCall[];
  readonly lines: readonly LoggedLine[];
  readonly unresolvedParameters: readonly string[];
  /** The text of expressions that are conditions. */
  readonly conditions: readonly string[];
  readonly durationMs: number;
}

/** Triggers do not fire in a simulation. Delays use the simulated clock, so they take no real time. */
const simulationSession: SessionTag = { id: "simulation", skipTime: false };

export async function simulate(request: SimulationRequest): Promise<SimulationResult> {
  const startTime = performance.now();
  const started = await startSimulated(request);
  const emptyResult = { input: undefined, steps: [], omittedSteps: 0, outcome: undefined, calls: [], lines: [], unresolvedParameters: [], conditions: [] };
  const failWith = (diagnostics: SimulationResult["diagnostics"]): SimulationResult => ({
    ...emptyResult,
    diagnostics,
    durationMs: performance.now() - startTime,
  });
  if (!started.ok) return failWith(started.diagnostics.filter(({ severity }) => severity === "error"));
  const { simulated } = started;
  const mocks = new SimulationMocks(simulated);
  const span = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
  try {
    mocks.install([...request.mocks, ...mocksOfTests(request.testFiles ?? [], request.mocks, simulated)], false);
  } catch (error) {
    return failWith([{ code: "mock-invalid", message: (error as Error).message, span }]);
  }
  const sent = await sendSample(simulated, request.sample);
  if (typeof sent === "string") return failWith([{ code: "sample-invalid", message: sent, span }]);
  await settle(simulated);
  const { recorder, host, unresolvedParameters, conditions } = simulated;
  return {
    diagnostics: [],
    input: sent.input,
    steps: recorder.steps,
    omittedSteps: recorder.omitted,
    outcome: sent.outcome,
    calls: mocks.calls,
    lines: host.lines,
    unresolvedParameters,
    conditions: [...conditions],
    durationMs: performance.now() - startTime,
  };
}

interface SentSample {
  readonly input: ShownMessage | undefined;
  readonly outcome: SimulatedOutcome;
}

/** Sends a message; returns the run, or why it could not be sent. */
export async function sendSample(simulated: SimulatedRuntime, sample: Sample, session = simulationSession): Promise<SentSample | string> {
  const { runtime, host } = simulated;
  const route = runtime.routes.get(sample.routeId);
  if (route === undefined) return `unknown route '${sample.routeId}'`;
  const routeInput = sample.fromStep === undefined ? route.routeInput : route.enterAt(sample.fromStep);
  if (routeInput === undefined) return `route '${sample.routeId}' has no top-level step '${sample.fromStep}'`;
  let firstExchange: Exchange | undefined;
  let input: ShownMessage | undefined;
  const recordInput = (exchange: Exchange): void => {
    firstExchange ??= exchange;
    input ??= shownMessage(exchange);
  };
  if (route.trigger === "request" && sample.fromStep === undefined) {
    const untap = runtime.tap({ layer: 90, covers: () => true, step: (next) => (exchange) => (recordInput(exchange), next(exchange)) });
    const reply = await finish(
      simulated,
      host.request(
        {
          method: sample.method ?? "POST",
          path: sample.path ?? `/api/${sample.routeId}`,
          query: sample.query ?? "",
          headers: Object.fromEntries(Object.entries(sample.headers).map(([name, value]) => [name, String(value)])),
          body: bytesOf(sample.body),
        },
        session,
      ),
    );
    untap();
    if (reply === undefined) return `${sample.method ?? "POST"} ${sample.path ?? `/api/${sample.routeId}`} matches no route`;
    return { input, outcome: { ...outcomeOf(firstExchange), reply: shownReply(reply) } };
  }
  const result = routeInput.deliver(new Message(sample.body ?? null, Headers.of(sample.headers)), {
    pattern: sample.pattern ?? "InOut",
    trigger: { uri: route.from },
    session,
    started: recordInput,
    ...(sample.properties === undefined ? {} : { properties: new Map(Object.entries(sample.properties)) }),
    ...(sample.variables === undefined ? {} : { variables: new Map(Object.entries(sample.variables)) }),
  });
  const exchange = await finish(simulated, result);
  return { input, outcome: { ...outcomeOf(exchange ?? firstExchange), reply: undefined } };
}

/** Waits in simulated time; undefined when the run never ends. */
export async function finish<T>({ host }: SimulatedRuntime, result: T | Promise<T>): Promise<T | undefined> {
  if (!(result instanceof Promise)) return result;
  let value: T | undefined;
  let isDone = false;
  result.then(
    (found) => {
      value = found;
      isDone = true;
    },
    () => (isDone = true),
  );
  await host.clock.runUntil(() => isDone);
  return value;
}

/** Simulated time after a reply, for aggregation timeouts and retries. */
const settleMs = 60_000;

/** Runs asynchronous work after the reply (wire taps, queues, aggregations) until it ends or waits for more messages. */
export async function settle({ host }: SimulatedRuntime): Promise<void> {
  await host.clock.runUntil(() => false, settleMs);
}

function outcomeOf(exchange: Exchange | undefined): Omit<SimulatedOutcome, "reply"> {
  if (exchange === undefined) return { status: "running", body: null, bodyType: "none", headers: {}, error: null };
  const { run, message, failure } = exchange;
  return {
    status: run.status,
    body: toPlain(message.body),
    bodyType: bodyTypeOf(message.body),
    headers: Object.fromEntries([...message.headers].filter(([name]) => name !== "__proto__").map(([name, value]) => [name, toPlain(value)])),
    error: failure === undefined ? null : { type: failure.type, message: failure.message, stepId: failure.stepId ?? null },
  };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === null || body === undefined) return new Uint8Array();
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}

function shownReply({ status, headers, body }: HttpReply): SimulatedReply {
  const text = typeof body === "string" ? body : body instanceof Uint8Array ? String(toPlain(body)) : "";
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]),
    ),
    body: text,
  };
}
