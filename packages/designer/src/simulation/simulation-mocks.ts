// Mocks in a simulation: the same as in a test session, applied to all routes.
import {
  checkAssertion,
  evaluateAssertion,
  Exchange,
  Message,
  Mock,
  InvalidMockError,
  mockTap,
  Run,
  type AssertionResult,
  type Expression,
  type LanguageScope,
  type MockCalls,
  type MockOutcome,
  type RouteIdentity,
} from "@sluice/engine";
import { bodyTypeOf, toPlain } from "@sluice/engine/values";
import type { AssertionBody, MockBody, StepNode } from "@sluice/model";
import { languages } from "@sluice/standard";
import type { SimulatedRuntime } from "./simulated-runtime.ts";

export interface SimulatedCall {
  readonly seq: number;
  readonly mockId: string;
  readonly stepId: string | null;
  readonly routeId: string;
  readonly uri: string | null;
  readonly request: { readonly body: unknown; readonly bodyType: string; readonly headers: Readonly<Record<string, unknown>> };
  outcome: "pending" | "responded" | "threw";
}

const maxCalls = 1_000;
const maxBodyLength = 64 * 1_024;
const simulationRoute: RouteIdentity = { id: "simulation", flowId: "simulation", flowHash: "" };

export class SimulationMocks implements MockCalls<SimulatedCall> {
  readonly calls: SimulatedCall[] = [];
  readonly #simulated: SimulatedRuntime;
  #count = 0;

  constructor(simulated: SimulatedRuntime) {
    this.#simulated = simulated;
  }

  /** Installs the mocks; returns a function that removes them. Throws an InvalidMockError for an invalid mock. */
  install(bodies: readonly MockBody[], failUnmatched: boolean): () => void {
    const { runtime, deployment, host, recorder } = this.#simulated;
    const ids = new Set<string>();
    const mocks = bodies
      .map((body, index) => {
        const id = body.id ?? `mock${index + 1}`;
        if (ids.has(id)) throw new InvalidMockError(`mocks[${index}].id '${id}' is used twice: use unique ids`);
        ids.add(id);
        return new Mock(id, body, { clock: host.clock, compile: (text) => this.#compile("simple", text) });
      })
      .toSorted((left, right) => right.weight - left.weight);
    const uris = new Map<StepNode, string | undefined>(deployment.routes.flatMap((route) => route.steps.map(({ node, uri }) => [node, uri] as const)));
    for (const { id, stepId } of mocks)
      if (stepId !== undefined && !/[*/]/.test(stepId) && ![...uris.keys()].some((node) => node.id === stepId))
        throw new InvalidMockError(`mock '${id}': unknown step '${stepId}'`);
    return runtime.tap(
      mockTap({
        sessionId: "simulation",
        mocks,
        routes: new Set(deployment.routes.map(({ identity }) => identity)),
        scope: "deployment",
        failUnmatched,
        isLocalEndpoint: (uri) => runtime.isLocalEndpoint(uri),
        calls: this,
        uriOf: (node) => uris.get(node),
        mocked: (exchange) => recorder.mark(exchange, { mock: this.calls.at(-1)?.mockId ?? "" }),
      }),
    );
  }

  record(mockId: string, uri: string | undefined, exchange: Exchange): SimulatedCall | undefined {
    const seq = ++this.#count;
    if (this.calls.length >= maxCalls) return undefined;
    const { message, run } = exchange;
    const call: SimulatedCall = {
      seq,
      mockId,
      stepId: exchange.at?.id ?? null,
      routeId: run.route.id,
      uri: uri ?? null,
      request: {
        body: toPlain(message.body, maxBodyLength),
        bodyType: bodyTypeOf(message.body),
        headers: Object.fromEntries([...message.headers].map(([name, value]) => [name, toPlain(value, maxBodyLength)])),
      },
      outcome: "pending",
    };
    this.calls.push(call);
    return call;
  }

  finish(call: SimulatedCall, { kind }: MockOutcome): void {
    call.outcome = kind;
  }

  /** Throws an InvalidMockError for an assertion that cannot be evaluated. */
  validateAssertions(assertions: readonly AssertionBody[]): void {
    for (const assertion of assertions) checkAssertion(assertion, (path) => this.#jsonPath(path));
  }

  evaluateAssertions(assertions: readonly AssertionBody[]): readonly AssertionResult[] {
    return assertions.map((assertion) => evaluateAssertion(assertion, this.calls, (path) => this.#jsonPath(path)));
  }

  #jsonPath(path: string): (body: unknown) => unknown {
    const find = this.#compile("jsonpath", path);
    return (body) => {
      try {
        return find(new Exchange("", new Run("", simulationRoute, 0, { uri: "" }), "InOut", new Message(body)));
      } catch {
        return null;
      }
    };
  }

  #compile(name: string, text: string): Expression {
    const language = (languageName: string) => languages.find((candidate) => candidate.name === languageName);
    const scope: LanguageScope = {
      host: this.#simulated.host,
      route: simulationRoute,
      property: () => undefined,
      language,
      bean() {
        throw new InvalidMockError("expressions of a mock cannot use beans");
      },
    };
    try {
      return (language(name) as NonNullable<ReturnType<typeof language>>).compile(text, {}, scope);
    } catch (error) {
      throw new InvalidMockError(`'${text.slice(0, 100)}' is not a valid ${name} expression: ${(error as Error).message}`);
    }
  }
}
