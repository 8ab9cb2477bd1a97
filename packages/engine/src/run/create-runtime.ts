// The runtime: tracks deployments, swaps versions without dropping a message, and stops gracefully.
import { schemeOf, type Vocabulary } from "@sluice/model";
import { EndpointBinder } from "../compile/endpoint-binder.ts";
import { uriForms } from "../compile/uri-pattern.ts";
import { toFlowError } from "../errors/flow-error.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import { maxTextLength } from "../values/limit.ts";
import type { RouteInput } from "../spi/connector.ts";
import type { Catalog } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";
import { prepareFlow, type LiveDeployment } from "./prepare-flow.ts";
import { ConnectorInstances } from "./connector-instances.ts";
import { LiveRoute } from "./live-route.ts";
import type { FlowInput } from "../compile/flow-input.ts";
import type { RuntimeLimits } from "../compile/runtime-limits.ts";
import type { Tap } from "../compile/tap.ts";
import {
  conflictMessage,
  DeployError,
  type Conflict,
  type Deployment,
  type DeployReport,
  type DrainReport,
  type Prepared,
  type InactiveStatus,
  type RouteGate,
  type RunListener,
  type Runtime,
  type Supervision,
} from "./runtime.ts";

export interface RuntimeParts {
  readonly catalog: Catalog;
  readonly host: Host;
  readonly listener: RunListener;
  readonly limits?: Partial<RuntimeLimits>;
  readonly gate?: RouteGate | undefined;
  /** For a route that must not start with its deployment: the status it gets instead. */
  inactiveStatus?(route: RouteIdentity): InactiveStatus | undefined;
}

export const defaultLimits: RuntimeLimits = {
  callDepth: 100,
  inflightPerRoute: 10_000,
  runMs: 300_000,
  drainMs: 30_000,
  exchanges: 200_000,
  messageSize: maxTextLength,
};

/** Three rounds: connectors and beans of a flow, then the connections they use, then the parts that those reference. */
const loadRounds = 3;

export function createRuntime(parts: RuntimeParts): Runtime {
  return new FlowRuntime(parts);
}

class FlowRuntime implements Runtime {
  readonly deployments = new Map<string, LiveDeployment>();
  readonly routes = new Map<string, LiveRoute>();
  readonly #parts: RuntimeParts;
  readonly #limits: RuntimeLimits;
  readonly #vocabulary: Vocabulary;
  readonly #endpoints: EndpointBinder;
  readonly #connectors: ConnectorInstances;
  /** Deployed routes by the endpoint they consume from. */
  readonly #routeInputs = new Map<string, LiveRoute>();
  readonly #claims = new Map<string, LiveRoute>();
  #taps: readonly Tap[] = [];

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#limits = { ...defaultLimits, ...parts.limits };
    this.#vocabulary = parts.catalog;
    this.#connectors = new ConnectorInstances(parts.catalog, parts.host);
    this.#endpoints = new EndpointBinder(parts.catalog, this.#connectors);
  }

  prepare(input: FlowInput): Prepared {
    const { catalog, host, listener, gate } = this.#parts;
    this.#connectors.update();
    const prepared = prepareFlow(input, { catalog, host, listener, gate, limits: this.#limits, vocabulary: this.#vocabulary, endpoints: this.#endpoints });
    return { ...prepared, conflicts: prepared.deployment === undefined ? [] : this.#conflicts(prepared.deployment) };
  }

  async prepareLoaded(input: FlowInput): Promise<Prepared> {
    const { index } = this.#parts.catalog;
    let prepared = this.prepare(input);
    for (let round = 0; index !== undefined && prepared.unloaded.size > 0 && round < loadRounds; round++) {
      await index.load(prepared.unloaded);
      prepared = this.prepare(input);
    }
    return prepared;
  }

  async deploy(deployment: Deployment, supervision: Supervision = "retryable"): Promise<DeployReport> {
    const next = deployment as LiveDeployment;
    const [conflict] = this.#conflicts(next);
    if (conflict !== undefined) throw new DeployError(conflict.rejectedRouteId, conflictMessage(conflict));
    for (const route of next.routes) route.wiring.rewire(this.#taps);
    const previous = this.deployments.get(next.id);
    const suspended = await this.#suspendExclusive(previous);
    const started: LiveRoute[] = [];
    let failingRoute = next.routes[0];
    try {
      for (const lifecycle of next.scope.beans.lifecycles) await lifecycle.start?.();
      for (const route of next.routes) {
        failingRoute = route;
        await this.#startServices(route, supervision);
      }
      for (const route of inStartOrder(next.routes)) {
        failingRoute = route;
        started.push(route);
        const inactive = this.#parts.inactiveStatus?.(route.identity);
        if (inactive !== undefined) route.lifecycle.stayInactive(inactive);
        else if (route.program.autoStartup) await route.lifecycle.start(supervision);
      }
    } catch (error) {
      const drained = await this.#rollBack(next, started, suspended);
      throw new DeployError(failingRoute?.identity.id ?? next.id, toFlowError(error).message, drained);
    }
    this.#swap(previous, next);
    return {
      drained: previous === undefined ? Promise.resolve({ routeIds: [], drained: true, abandoned: [] }) : this.#retire(previous),
      disconnected: next.routes.flatMap(({ identity, problem }) => (problem === undefined ? [] : [{ routeId: identity.id, problem }])),
    };
  }

  /** Retryable failures are handled when the route starts, which retries immediately and then with back-off. */
  async #startServices(route: LiveRoute, supervision: Supervision): Promise<void> {
    try {
      await route.lifecycle.startServices();
    } catch (error) {
      if (supervision !== "always" && !toFlowError(error).retryable) throw error;
    }
  }

  async undeploy(flowId: string): Promise<DrainReport | undefined> {
    const deployment = this.deployments.get(flowId);
    if (deployment === undefined) return undefined;
    this.#swap(deployment, undefined);
    return this.#retire(deployment);
  }

  tap(tap: Tap): () => void {
    this.#rewire([...this.#taps, tap]);
    return () => this.#rewire(this.#taps.filter((other) => other !== tap));
  }

  routeInputOf(uri: string): RouteInput | undefined {
    for (const form of uriForms(uri)) {
      const route = this.#routeInputs.get(form);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  isLocalEndpoint(uri: string): boolean {
    return this.#parts.catalog.connectors.get(schemeOf(uri))?.local === true;
  }

  backlog(): readonly { readonly name: string; readonly depth: number }[] {
    return this.#connectors.all().flatMap((connector) => connector.backlog?.() ?? []);
  }

  async stop(): Promise<DrainReport> {
    const all = [...this.deployments.values()].toReversed();
    const abandoned: DrainReport["abandoned"][number][] = [];
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    // Queue consumers stop last, so that messages in flight elsewhere are still accepted.
    const routes = all.flatMap((deployment) => inStartOrder(deployment.routes).toReversed());
    const first = routes.filter((route) => route.program.source.deferred !== true);
    const last = routes.filter((route) => route.program.source.deferred === true);
    for (const group of [first, last]) {
      abandoned.push(...(await takeOutOfService(group, until)));
    }
    for (const deployment of all) await stopServices(deployment, until);
    this.deployments.clear();
    this.routes.clear();
    return { routeIds: routes.map((route) => route.identity.id), drained: abandoned.length === 0, abandoned };
  }

  #conflicts(next: LiveDeployment): readonly Conflict[] {
    const conflicts: Conflict[] = [];
    for (const route of next.routes) {
      const rejectedRouteId = route.identity.id;
      const existing = this.routes.get(rejectedRouteId);
      if (existing !== undefined && existing.identity.flowId !== next.id)
        conflicts.push({ kind: "route-id", name: rejectedRouteId, rejectedRouteId, routeId: existing.identity.id, flowId: existing.identity.flowId });
      for (const claim of route.program.source.claims) {
        const holder = this.#claims.get(claim);
        if (holder !== undefined && holder.identity.flowId !== next.id)
          conflicts.push({ kind: "claim", name: claim, rejectedRouteId, routeId: holder.identity.id, flowId: holder.identity.flowId });
      }
    }
    return conflicts;
  }

  /** Timers and polls of the old version stop before those of the new one start: no tick runs twice. */
  async #suspendExclusive(previous: LiveDeployment | undefined): Promise<readonly LiveRoute[]> {
    const suspended = previous?.routes.filter((route) => route.program.source.exclusive && route.lifecycle.isActive) ?? [];
    for (const route of suspended) await route.suspend();
    return suspended;
  }

  /** Resolves when the old version accepts messages again; the inner promise when runs started by the new one have ended. */
  async #rollBack(next: LiveDeployment, started: readonly LiveRoute[], suspended: readonly LiveRoute[]): Promise<{ readonly ended: Promise<void> }> {
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    for (const route of started.toReversed()) await route.lifecycle.halt(until).catch(() => false);
    const ended = takeOutOfService(started, until)
      .catch(() => undefined)
      .then(() => stopServices(next, until));
    if (started.every(({ stats }) => stats.inflight === 0)) await ended;
    const previous = this.deployments.get(next.id);
    // The new source had taken over and was rolled back, so the old one resumes.
    for (const route of previous?.routes ?? []) if (route.lifecycle.isSourceStarted) await route.program.source.start(route);
    for (const route of suspended) await route.lifecycle.start("always");
    return { ended };
  }

  /** Synchronous: readers see the old version or the new one, never neither. */
  #swap(previous: LiveDeployment | undefined, next: LiveDeployment | undefined): void {
    for (const route of previous?.routes ?? []) {
      if (this.routes.get(route.identity.id) === route) this.routes.delete(route.identity.id);
      for (const form of uriForms(route.from)) if (this.#routeInputs.get(form) === route) this.#routeInputs.delete(form);
      for (const claim of route.program.source.claims) if (this.#claims.get(claim) === route) this.#claims.delete(claim);
    }
    if (previous !== undefined) this.deployments.delete(previous.id);
    if (next === undefined) return;
    this.deployments.set(next.id, next);
    for (const route of next.routes) {
      this.routes.set(route.identity.id, route);
      for (const form of uriForms(route.from)) this.#routeInputs.set(form, route);
      for (const claim of route.program.source.claims) this.#claims.set(claim, route);
    }
  }

  async #retire(previous: LiveDeployment): Promise<DrainReport> {
    const routes = inStartOrder(previous.routes).toReversed();
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    const abandoned = await takeOutOfService(routes, until);
    await stopServices(previous, until);
    return { routeIds: previous.routes.map((route) => route.identity.id), drained: abandoned.length === 0, abandoned };
  }

  #rewire(taps: readonly Tap[]): void {
    this.#taps = taps;
    for (const { routes } of this.deployments.values()) for (const route of routes) route.wiring.rewire(taps);
  }
}

function inStartOrder(routes: readonly LiveRoute[]): readonly LiveRoute[] {
  return routes.toSorted((one, other) => (one.program.startupOrder === other.program.startupOrder ? 0 : one.program.startupOrder - other.program.startupOrder));
}

/** Takes routes out of service: stops accepting messages, then waits for messages in flight; at the deadline they are cancelled and listed. */
async function takeOutOfService(routes: readonly LiveRoute[], until: number): Promise<DrainReport["abandoned"]> {
  const halted = await Promise.all(routes.map((route) => route.lifecycle.halt(until)));
  const abandoned = (await Promise.all(routes.map((route) => route.drain(until)))).flat();
  // A source that did not stop in time has dropped messages, even if no run can be named.
  const unstopped = routes.filter((route, at) => halted[at] === false && !abandoned.some(({ routeId }) => routeId === route.identity.id));
  return [...abandoned, ...unstopped.map((route) => ({ routeId: route.identity.id, stepId: undefined, runId: "" }))];
}

async function stopServices(deployment: LiveDeployment, until: number): Promise<void> {
  for (const route of deployment.routes) await route.lifecycle.stopServices(until);
  for (const lifecycle of deployment.scope.beans.lifecycles) await lifecycle.stop?.();
}
