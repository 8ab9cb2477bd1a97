// The runtime: knows what is deployed, swaps versions without dropping a message, and stops gracefully.
import type { Vocabulary } from "@sluice/model";
import { EndpointBinder } from "../compile/endpoint-binder.ts";
import { uriForms } from "../compile/uri-pattern.ts";
import { toFlowError } from "../errors/flow-error.ts";
import { longestText } from "../values/limit.ts";
import type { Connector, Inlet } from "../spi/connector.ts";
import type { Catalog } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";
import { prepareFlow, type LiveDeployment } from "./prepare-flow.ts";
import { LiveRoute } from "./live-route.ts";
import {
  DeployError,
  type Conflict,
  type Deployment,
  type DrainReport,
  type FlowInput,
  type Prepared,
  type RunListener,
  type Runtime,
  type RuntimeLimits,
  type Tap,
} from "./runtime.ts";

export interface RuntimeParts {
  readonly catalog: Catalog;
  readonly host: Host;
  readonly listener: RunListener;
  readonly limits?: Partial<RuntimeLimits>;
}

export const defaultLimits: RuntimeLimits = {
  callDepth: 100,
  inflightPerRoute: 10_000,
  runMs: 300_000,
  drainMs: 30_000,
  exchanges: 200_000,
  messageSize: longestText,
};

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
  /** Routes by the endpoint they consume from. */
  readonly #inlets = new Map<string, LiveRoute>();
  readonly #claims = new Map<string, LiveRoute>();
  #taps: readonly Tap[] = [];

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#limits = { ...defaultLimits, ...parts.limits };
    this.#vocabulary = parts.catalog;
    this.#endpoints = new EndpointBinder(parts.catalog, connect(parts.catalog, parts.host));
  }

  prepare(input: FlowInput): Prepared {
    const { catalog, host, listener } = this.#parts;
    const prepared = prepareFlow(input, { catalog, host, listener, limits: this.#limits, vocabulary: this.#vocabulary, endpoints: this.#endpoints });
    return { ...prepared, conflicts: prepared.deployment === undefined ? [] : this.#conflicts(prepared.deployment) };
  }

  async deploy(deployment: Deployment): Promise<{ readonly drained: Promise<DrainReport> }> {
    const next = deployment as LiveDeployment;
    const [conflict] = this.#conflicts(next);
    if (conflict !== undefined)
      throw new DeployError(conflict.routeId, `'${conflict.name}' belongs to route '${conflict.routeId}' of flow '${conflict.flowId}'`);
    for (const route of next.routes) route.wiring.rewire(this.#taps);
    const previous = this.deployments.get(next.id);
    const rested = await this.#restExclusive(previous);
    const started: LiveRoute[] = [];
    let failing = next.routes[0];
    try {
      for (const lifecycle of next.scope.beans.lifecycles) await lifecycle.start?.();
      for (const route of next.routes) {
        failing = route;
        await route.startServices();
      }
      for (const route of inStartOrder(next.routes)) {
        failing = route;
        started.push(route);
        if (route.program.autoStartup) await route.start();
      }
    } catch (thrown) {
      await this.#takeBack(next, started, rested);
      throw new DeployError(failing?.identity.id ?? next.id, toFlowError(thrown).message);
    }
    this.#swap(previous, next);
    return { drained: previous === undefined ? Promise.resolve({ routeIds: [], drained: true, abandoned: [] }) : this.#retire(previous) };
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

  inletOf(uri: string): Inlet | undefined {
    for (const form of uriForms(uri)) {
      const route = this.#inlets.get(form);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  async stop(): Promise<DrainReport> {
    const all = [...this.deployments.values()].toReversed();
    const abandoned: DrainReport["abandoned"][number][] = [];
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    // What only hands on (queues) goes last, so that what is in flight elsewhere still gets through.
    const routes = all.flatMap((deployment) => inStartOrder(deployment.routes).toReversed());
    const first = routes.filter((route) => route.program.source.deferred !== true);
    const last = routes.filter((route) => route.program.source.deferred === true);
    for (const group of [first, last]) {
      abandoned.push(...(await leave(group, until)));
    }
    for (const deployment of all) await stopServices(deployment, until);
    this.deployments.clear();
    this.routes.clear();
    return { routeIds: routes.map((route) => route.identity.id), drained: abandoned.length === 0, abandoned };
  }

  #conflicts(next: LiveDeployment): readonly Conflict[] {
    const conflicts: Conflict[] = [];
    for (const route of next.routes) {
      const namesake = this.routes.get(route.identity.id);
      if (namesake !== undefined && namesake.identity.flowId !== next.id)
        conflicts.push({ kind: "route-id", name: route.identity.id, routeId: namesake.identity.id, flowId: namesake.identity.flowId });
      for (const claim of route.program.source.claims) {
        const holder = this.#claims.get(claim);
        if (holder !== undefined && holder.identity.flowId !== next.id)
          conflicts.push({ kind: "claim", name: claim, routeId: holder.identity.id, flowId: holder.identity.flowId });
      }
    }
    return conflicts;
  }

  /** Timers and polls of the old version stop before those of the new one start: no tick runs twice. */
  async #restExclusive(previous: LiveDeployment | undefined): Promise<readonly LiveRoute[]> {
    const rested = previous?.routes.filter((route) => route.program.source.exclusive && route.takesIn) ?? [];
    for (const route of rested) await route.suspend();
    return rested;
  }

  async #takeBack(next: LiveDeployment, started: readonly LiveRoute[], rested: readonly LiveRoute[]): Promise<void> {
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    for (const route of started.toReversed()) await route.halt(until).catch(() => false);
    await stopServices(next, until);
    const previous = this.deployments.get(next.id);
    // A source that took over from the old version gave up its place again: the old one takes it back.
    for (const route of previous?.routes ?? []) if (route.takesIn) await route.program.source.start(route);
    for (const route of rested) await route.resume();
  }

  /** In one turn: whoever looks sees the old version or the new one, never neither. */
  #swap(previous: LiveDeployment | undefined, next: LiveDeployment | undefined): void {
    for (const route of previous?.routes ?? []) {
      if (this.routes.get(route.identity.id) === route) this.routes.delete(route.identity.id);
      for (const form of uriForms(route.from)) if (this.#inlets.get(form) === route) this.#inlets.delete(form);
      for (const claim of route.program.source.claims) if (this.#claims.get(claim) === route) this.#claims.delete(claim);
    }
    if (previous !== undefined) this.deployments.delete(previous.id);
    if (next === undefined) return;
    this.deployments.set(next.id, next);
    for (const route of next.routes) {
      this.routes.set(route.identity.id, route);
      for (const form of uriForms(route.from)) this.#inlets.set(form, route);
      for (const claim of route.program.source.claims) this.#claims.set(claim, route);
    }
  }

  async #retire(previous: LiveDeployment): Promise<DrainReport> {
    const routes = inStartOrder(previous.routes).toReversed();
    const until = this.#parts.host.clock.monotonic() + this.#limits.drainMs;
    const abandoned = await leave(routes, until);
    await stopServices(previous, until);
    return { routeIds: previous.routes.map((route) => route.identity.id), drained: abandoned.length === 0, abandoned };
  }

  #rewire(taps: readonly Tap[]): void {
    this.#taps = taps;
    for (const { routes } of this.deployments.values()) for (const route of routes) route.wiring.rewire(taps);
  }
}

function connect(catalog: Catalog, host: Host): ReadonlyMap<string, Connector> {
  const instances = new Map<string, Connector>();
  const made = new Map<unknown, Connector>();
  for (const [scheme, declaration] of catalog.connectors) {
    const instance = made.get(declaration) ?? declaration.connect(host);
    made.set(declaration, instance);
    instances.set(scheme, instance);
  }
  return instances;
}

function inStartOrder(routes: readonly LiveRoute[]): readonly LiveRoute[] {
  return routes.toSorted((one, other) => (one.program.startupOrder === other.program.startupOrder ? 0 : one.program.startupOrder - other.program.startupOrder));
}

/** Takes routes out of service: no more intake, then what is in flight gets done or is cancelled and named at the limit. */
async function leave(routes: readonly LiveRoute[], until: number): Promise<DrainReport["abandoned"]> {
  const halted = await Promise.all(routes.map((route) => route.halt(until)));
  const abandoned = (await Promise.all(routes.map((route) => route.drain(until)))).flat();
  // A source that would not stop left something behind even if no run of it can be named.
  const stuck = routes.filter((route, at) => halted[at] === false && !abandoned.some(({ routeId }) => routeId === route.identity.id));
  return [...abandoned, ...stuck.map((route) => ({ routeId: route.identity.id, stepId: undefined, runId: "" }))];
}

async function stopServices(deployment: LiveDeployment, until: number): Promise<void> {
  for (const route of deployment.routes) await route.stopServices(until);
  for (const lifecycle of deployment.scope.beans.lifecycles) await lifecycle.stop?.();
}
