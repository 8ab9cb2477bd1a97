// Turns what happens in routes into trace events while somebody listens. Steps are watched through a tap that is in only
// then, and only on the routes the clients ask for.
import type { Clock, Exchange, FlowError, Processor, Route, RouteIdentity, Run, Runtime, StepPlace, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import type { SecretValues } from "../masking/secret-values.ts";
import { EventHub } from "./event-hub.ts";
import type { BodyDetail, StreamFilter } from "./stream-filter.ts";
import { traceEvent, type StepPart } from "./trace-event.ts";

export interface TraceOptions {
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly lingers?: boolean;
  readonly clock: Clock;
  readonly secrets: SecretValues;
  /** True when the step just run by this exchange was answered by a test session. */
  wasMocked(exchange: Exchange, node: StepNode): boolean;
  runtime(): Runtime;
}

const routeTypes: Partial<Record<Route["status"], string>> = { Started: "route.started", Stopped: "route.stopped", Failed: "route.failed" };

export class TraceRecorder {
  readonly hub: EventHub;
  readonly #options: TraceOptions;
  readonly #places = new WeakMap<StepNode, StepPlace>();
  #untap: (() => void) | undefined = undefined;
  #coverage = "";
  #filters: readonly StreamFilter[] = [];
  #followed = new WeakMap<RouteIdentity, boolean>();
  #detail: BodyDetail = "none";

  constructor(options: TraceOptions) {
    this.#options = options;
    this.hub = new EventHub({ name: "trace", ...options, changed: () => this.#adjust() });
  }

  runStarted(exchange: Exchange): void {
    if (this.#isFollowed(exchange.run)) this.#publish("run.started", exchange);
  }

  runEnded(run: Run, exchange: Exchange): void {
    if (this.#isFollowed(run)) this.#publish(`run.${run.status}`, exchange, { durationMs: run.endedAt - run.startedAt, error: run.failure });
  }

  retrying(exchange: Exchange, error: FlowError, delayMs: number): void {
    if (this.#isFollowed(exchange.run))
      this.#publish("step.retrying", exchange, {
        error,
        durationMs: delayMs,
        ...(exchange.at === undefined ? {} : { step: this.#part(exchange.at, exchange, false) }),
      });
  }

  routeChanged(route: Route): void {
    const type = routeTypes[route.status];
    if (!this.hub.recording || type === undefined) return;
    this.#announce(type, {
      flowId: route.identity.flowId,
      routeId: route.identity.id,
      error: route.problem === undefined ? null : { type: "RouteFailed", message: route.problem },
    });
  }

  flowChanged(change: "deployed" | "removed", flowId: string, hash: string): void {
    if (this.hub.recording) this.#announce(`flow.${change}`, { flowId, hash });
  }

  /** Runs of routes nobody asked for cost nothing but this question. */
  #isFollowed({ route }: Run): boolean {
    if (!this.hub.recording) return false;
    let followed = this.#followed.get(route);
    if (followed === undefined) this.#followed.set(route, (followed = covers(this.#filters, route)));
    return followed;
  }

  #announce(type: string, facts: { readonly flowId: string; readonly routeId?: string; readonly [name: string]: unknown }): void {
    const at = new Date(this.#options.clock.now()).toISOString();
    this.hub.publish({ flowId: facts.flowId, routeId: facts.routeId, type }, 400, (id) =>
      this.#options.secrets.scrubJson(JSON.stringify({ id, type, at, ...facts })),
    );
  }

  #publish(type: string, exchange: Exchange, more: { step?: StepPart; durationMs?: number; error?: FlowError | undefined } = {}): void {
    const { clock, secrets } = this.#options;
    const event = traceEvent(
      { type, at: clock.now(), exchange, step: more.step, durationMs: more.durationMs, error: more.error, detail: this.#detail },
      secrets,
    );
    this.hub.publish(event.facts, event.bytes, event.json);
  }

  #part(node: StepNode, exchange: Exchange, mocked: boolean): StepPart {
    let place = this.#places.get(node);
    if (place === undefined) {
      place = this.#options
        .runtime()
        .routes.get(exchange.run.route.id)
        ?.steps.find((candidate) => candidate.node === node);
      if (place !== undefined) this.#places.set(node, place);
    }
    return { node, uri: place?.uri, depth: place?.depth ?? 1, mocked };
  }

  /** Puts the tap on the routes the filters need; in the time after the last client nothing changes. */
  #adjust(): void {
    const { hub } = this;
    if (!hub.recording) {
      this.#untap?.();
      this.#untap = undefined;
      this.#coverage = "";
      return;
    }
    const { filters } = hub;
    this.#detail = filters.some(({ body }) => body === "full") ? "full" : filters.some(({ body }) => body === "preview") ? "preview" : "none";
    const coverage = JSON.stringify(filters.map(({ flowId, routeId }) => [flowId, routeId]));
    if (coverage === this.#coverage) return;
    this.#coverage = coverage;
    this.#filters = filters;
    this.#followed = new WeakMap();
    this.#untap?.();
    this.#untap = this.#options.runtime().tap(this.#tap(filters));
  }

  #tap(filters: readonly StreamFilter[]): Tap {
    return {
      layer: 20,
      covers: (route) => covers(filters, route),
      step: (next, node) => this.#traced(next, node),
    };
  }

  #traced(next: Processor, node: StepNode): Processor {
    const { clock, wasMocked } = this.#options;
    const ended = (exchange: Exchange, began: number, thrown?: unknown): void => {
      const step = this.#part(node, exchange, wasMocked(exchange, node));
      const error = thrown as FlowError | undefined;
      this.#publish(thrown === undefined ? "step.completed" : "step.failed", exchange, {
        step,
        durationMs: clock.monotonic() - began,
        error: error?.type === undefined ? undefined : error,
      });
    };
    return (exchange) => {
      this.#publish("step.started", exchange, { step: this.#part(node, exchange, false) });
      const began = clock.monotonic();
      let pending: void | Promise<void>;
      try {
        pending = next(exchange);
      } catch (thrown) {
        ended(exchange, began, thrown);
        throw thrown;
      }
      if (pending === undefined) return ended(exchange, began);
      return pending.then(
        () => ended(exchange, began),
        (thrown: unknown) => {
          ended(exchange, began, thrown);
          throw thrown;
        },
      );
    };
  }
}

function covers(filters: readonly StreamFilter[], { id, flowId }: RouteIdentity): boolean {
  return filters.some((filter) => (filter.flowId ?? flowId) === flowId && (filter.routeId ?? id) === id);
}
