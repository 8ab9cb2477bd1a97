// A test session: its mocks are active on the current routes until it is closed, expires, or its routes are replaced.
import {
  checkAssertion,
  evaluateAssertion,
  Mock,
  InvalidMockError,
  mockTap,
  type Clock,
  type Deployment,
  type Exchange,
  type Expression,
  type JsonPath,
  type RouteIdentity,
  type Runtime,
  type SessionTag,
} from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { ServiceError } from "../service-error.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { CallRecorder } from "./call-recorder.ts";
import type { MockBody, OpenBody } from "./session-body.ts";

export interface SessionParts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly secrets: SecretValues;
  readonly maxCalls: number;
  readonly maxBytes: number;
  compile(text: string): Expression;
  readonly jsonPath: JsonPath;
  mocked(exchange: Exchange, node: StepNode | undefined): void;
}

export class TestSession {
  readonly id: string;
  readonly tag: SessionTag;
  readonly scope: "deployment" | "session";
  readonly ttlMs: number;
  readonly expiresAt: number;
  expired = false;
  readonly #body: OpenBody;
  readonly #parts: SessionParts;
  readonly #mocks: readonly Mock[];
  readonly #calls: CallRecorder;
  /** The deployments that are mocked, by flow. */
  readonly #mockedDeployments = new Map<string, Deployment>();
  /** `routeId/stepId` of all mocked steps, by mock. */
  readonly #mockedSteps = new Map<string, string[]>();
  /** The mocks that match a step, even if a more specific mock is used there. */
  readonly #matched = new Set<string>();
  /** The flow of each mocked step. */
  readonly #flowOfStep = new Map<string, string>();
  #untap: (() => void) | undefined = undefined;

  constructor(id: string, body: OpenBody, ttlMs: number, parts: SessionParts) {
    this.id = id;
    this.#body = body;
    this.#parts = parts;
    this.scope = body.scope ?? "deployment";
    this.ttlMs = ttlMs;
    this.expiresAt = parts.clock.now() + ttlMs;
    this.tag = { id, skipTime: body.time === "skip" };
    this.#calls = new CallRecorder({ maxCalls: parts.maxCalls, maxBytes: parts.maxBytes, now: () => parts.clock.now(), secrets: parts.secrets });
    const ids = new Set<string>();
    this.#mocks = (body.mocks ?? [])
      .map((mock, index) => {
        const mockId = mock.id ?? `mock${index + 1}`;
        if (ids.has(mockId)) throw new ServiceError("body-invalid", `mocks[${index}].id '${mockId}' is used twice: use unique ids`);
        ids.add(mockId);
        return mockOf(mockId, mock, parts);
      })
      .sort((a, b) => b.weight - a.weight);
    for (const assertion of body.assertions ?? []) convertInvalidMock(() => checkAssertion(assertion, parts.jsonPath));
    this.#findSteps();
  }

  /** Excludes steps of flows that were replaced or removed since the session was opened. */
  get mockedSteps(): ReadonlySet<string> {
    const { stale } = this;
    return new Set([...this.#flowOfStep].filter(([, flowId]) => !stale.includes(flowId)).map(([step]) => step));
  }

  /** The flows whose messages the session mocks. */
  get flows(): readonly string[] {
    return this.#mocks.length === 0 && this.#body.unmatched !== "fail" ? [] : [...this.#mockedDeployments.keys()];
  }

  get isActive(): boolean {
    return this.#untap !== undefined;
  }

  /** Activates the mocks. */
  activate(): void {
    if (this.#mocks.length === 0 && this.#body.unmatched !== "fail") return;
    const uris = new Map<StepNode, string | undefined>();
    const routes = new Set<RouteIdentity>();
    for (const deployment of this.#mockedDeployments.values()) {
      for (const route of deployment.routes) {
        routes.add(route.identity);
        for (const { node, uri } of route.steps) uris.set(node, uri);
      }
    }
    this.#untap = this.#parts.runtime.tap(
      mockTap({
        sessionId: this.id,
        mocks: this.#mocks,
        routes,
        scope: this.scope,
        isLocalEndpoint: (uri) => this.#parts.runtime.isLocalEndpoint(uri),
        failUnmatched: this.#body.unmatched === "fail",
        calls: this.#calls,
        uriOf: (node) => uris.get(node),
        mocked: this.#parts.mocked,
      }),
    );
  }

  /** Ends the session. Its messages in flight must not reach real endpoints that were mocked. */
  end(): void {
    this.tag.isOver = true;
    this.#untap?.();
    this.#untap = undefined;
  }

  /** Flows that were replaced or removed since the session was opened. */
  get stale(): readonly string[] {
    return [...this.#mockedDeployments].filter(([flowId, deployment]) => this.#parts.runtime.deployments.get(flowId) !== deployment).map(([flowId]) => flowId);
  }

  openReply(): Readonly<Record<string, unknown>> {
    const { mocks = [] } = this.#body;
    const idOf = (index: number): string => mocks[index]?.id ?? `mock${index + 1}`;
    return {
      sessionId: this.id,
      ttlMs: this.ttlMs,
      expiresAt: new Date(this.expiresAt).toISOString(),
      mocks: mocks.map((_, index) => ({ id: idOf(index), steps: this.#mockedSteps.get(idOf(index)) ?? [] })),
      warnings: mocks.flatMap(({ match }, index) =>
        match.uri === undefined || this.#matched.has(idOf(index))
          ? []
          : [`mock '${idOf(index)}': no deployed endpoint matches uri '${match.uri}'; the mock can only match URIs that are computed per message`],
      ),
    };
  }

  closeReply(): Readonly<Record<string, unknown>> {
    const { calls, truncated, count } = this.#calls;
    const { assertions } = this.#body;
    return {
      recordedCalls: calls,
      sessionId: this.id,
      ...(this.#body.name === undefined ? {} : { name: this.#body.name }),
      expired: this.expired,
      stale: this.stale,
      truncated,
      callCount: count,
      ...(assertions === undefined ? {} : { assertions: assertions.map((assertion) => evaluateAssertion(assertion, calls, this.#parts.jsonPath)) }),
    };
  }

  #findSteps(): void {
    const { deployments } = this.#parts.runtime;
    const failsUnmatched = this.#body.unmatched === "fail";
    for (const deployment of deployments.values()) {
      for (const route of deployment.routes) {
        const covering = this.#mocks.filter((mock) => mock.covers(route.identity));
        if (covering.length > 0 || (failsUnmatched && this.scope === "session")) this.#mockedDeployments.set(deployment.id, deployment);
        for (const { node, uri } of route.steps) {
          const matching = covering.filter((candidate) => candidate.matchesStep(node.id, node.name, uri));
          for (const { id } of matching) this.#matched.add(id);
          // The most specific mock wins.
          const mock = matching[0];
          if (mock === undefined) continue;
          const step = `${route.identity.id}/${node.id}`;
          this.#mockedSteps.set(mock.id, [...(this.#mockedSteps.get(mock.id) ?? []), step]);
          this.#flowOfStep.set(step, deployment.id);
        }
      }
    }
    for (const mock of this.#mocks) {
      if (mock.stepId !== undefined && !this.#matched.has(mock.id))
        throw new ServiceError("document-invalid", `mock '${mock.id}': no matching deployed route has a step '${mock.stepId}'`);
    }
  }
}

function mockOf(id: string, body: MockBody, { clock, compile }: SessionParts): Mock {
  return convertInvalidMock(() => new Mock(id, body, { clock, compile }));
}

function convertInvalidMock<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof InvalidMockError ? new ServiceError("body-invalid", error.message) : error;
  }
}
