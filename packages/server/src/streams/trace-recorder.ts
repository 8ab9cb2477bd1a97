// Converts events of routes to trace events while there are clients. Steps are observed through a tap that is installed only then, and
// only on the routes that clients request.
import type { Clock, Exchange, FlowError, Processor, Route, RouteIdentity, Run, Runtime, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { RunMetadata } from "../runs/run-metadata.ts";
import { EventHub } from "./event-hub.ts";
import { coversRoute, type BodyDetail, type StreamFilter } from "./stream-filter.ts";
import { plainEvent } from "./stream-event.ts";
import { ExchangeDetailsCache } from "./exchange-details.ts";
import { BodyPreviewCache } from "./body-preview-cache.ts";
import type { TraceEventType } from "./trace-event-types.ts";
import { detailLimits, stepPart, TraceEvent, type StepPart, type TraceSubject } from "./trace-event.ts";

export interface TraceOptions {
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly lingers?: boolean;
  readonly clock: Clock;
  readonly secrets: SecretValues;
  /** True when a test session mocked the step that this exchange just ran. */
  wasMocked(exchange: Exchange, node: StepNode): boolean;
  runtime(): Runtime;
}

/** The statuses of a run that has ended. */
type EndStatus = Exclude<Run["status"], "running" | "retrying">;

/** Constants, so that all events of a type share one string. */
const runTypes = {
  completed: "run.completed",
  failed: "run.failed",
  discarded: "run.discarded",
  cancelled: "run.cancelled",
} as const satisfies Record<EndStatus, TraceEventType>;
const routeTypes: Partial<Record<Route["status"], TraceEventType>> = { Started: "route.started", Stopped: "route.stopped", Failed: "route.failed" };

export class TraceRecorder {
  readonly hub: EventHub;
  readonly #options: TraceOptions;
  readonly #parts = new WeakMap<StepNode, StepPart>();
  readonly #exchanges = new ExchangeDetailsCache();
  readonly #body = new BodyPreviewCache();
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
    if (this.#isFollowed(exchange.run))
      this.#publish({ type: "run.started", exchange, step: undefined, mocked: false, durationMs: undefined, error: undefined });
  }

  runEnded(run: Run, exchange: Exchange): void {
    if (this.#isFollowed(run))
      this.#publish({
        type: runTypes[run.status as EndStatus],
        exchange,
        step: undefined,
        mocked: false,
        durationMs: run.endedAt - run.startedAt,
        error: run.failure,
      });
  }

  /** Reports a run lost with its process, based on the history. */
  runLost({ id: runId, route, exchangeId, traceId, parentRunId, startedAt, endedAt, error }: RunMetadata): void {
    if (!this.hub.recording) return;
    const details = { flowId: route.flowId, routeId: route.id, runId, exchangeId, parentRunId: parentRunId ?? null, traceId: traceId ?? null };
    this.#announce("run.failed", { ...details, durationMs: Math.max(0, endedAt - startedAt), error });
  }

  retrying(exchange: Exchange, error: FlowError, delayMs: number): void {
    if (!this.#isFollowed(exchange.run)) return;
    const step = exchange.at === undefined ? undefined : this.#part(exchange.at, exchange);
    this.#publish({ type: "step.retrying", exchange, step, mocked: false, durationMs: delayMs, error });
  }

  routeChanged(route: Route): void {
    const type = routeTypes[route.status];
    if (!this.hub.recording || type === undefined) return;
    this.#announce(type, {
      flowId: route.identity.flowId,
      routeId: route.identity.id,
      error: route.problem === undefined ? null : { type: "RouteFailed", message: maskUris(route.problem) },
    });
  }

  flowChanged(change: "deployed" | "removed", flowId: string, hash: string): void {
    if (this.hub.recording) this.#announce(`flow.${change}`, { flowId, hash });
  }

  /** Checked first, so that runs that no client follows, or that clients cannot keep up with, cost little. */
  #isFollowed({ route }: Run): boolean {
    if (!this.hub.recording) return false;
    let followed = this.#followed.get(route);
    if (followed === undefined) this.#followed.set(route, (followed = covers(this.#filters, route)));
    return followed && !this.hub.skip(route);
  }

  #announce(
    type: TraceEventType,
    details: { readonly flowId: string; readonly routeId?: string; readonly runId?: string; readonly [name: string]: unknown },
  ): void {
    const { clock, secrets } = this.#options;
    const at = new Date(clock.now()).toISOString();
    const scrubber = secrets.asOfNow();
    const { flowId, routeId, runId } = details;
    this.hub.publish(plainEvent({ flowId, routeId, runId, type }, 400, (id) => scrubber.scrubJson(JSON.stringify({ id, type, at, ...details }))));
  }

  #publish(subject: TraceSubject): void {
    const { clock, secrets } = this.#options;
    const { exchange } = subject;
    const body = this.#body.preview(exchange.message.body, detailLimits[this.#detail]);
    this.hub.publish(new TraceEvent(subject, clock.now(), this.#exchanges.of(exchange, secrets.asOfNow()), body));
  }

  #part(node: StepNode, exchange: Exchange): StepPart {
    const cached = this.#parts.get(node);
    if (cached !== undefined) return cached;
    const steps = this.#options.runtime().routes.get(exchange.run.route.id)?.steps;
    const step = steps?.find((candidate) => candidate.node === node);
    const part = stepPart(node, step?.uri, step?.depth ?? 1);
    if (step !== undefined) this.#parts.set(node, part);
    return part;
  }

  /** Installs the tap on the routes required by the filters. */
  #adjust(): void {
    const { hub } = this;
    if (!hub.recording) {
      this.#untap?.();
      this.#untap = undefined;
      this.#coverage = "";
      this.#exchanges.forget();
      this.#body.forget();
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
      step: (next, node) => this.#traceStep(next, node),
    };
  }

  #traceStep(next: Processor, node: StepNode): Processor {
    const { clock, wasMocked } = this.#options;
    const { hub } = this;
    const ended = (exchange: Exchange, startedMs: number, thrown?: unknown): void => {
      if (hub.skip(exchange.run.route)) return;
      const error = (thrown as FlowError | undefined)?.type === undefined ? undefined : (thrown as FlowError);
      const type = thrown === undefined ? "step.completed" : "step.failed";
      const durationMs = clock.monotonic() - startedMs;
      this.#publish({ type, exchange, step: this.#part(node, exchange), mocked: wasMocked(exchange, node), durationMs, error });
    };
    return (exchange) => {
      if (!hub.skip(exchange.run.route))
        this.#publish({ type: "step.started", exchange, step: this.#part(node, exchange), mocked: false, durationMs: undefined, error: undefined });
      const startedMs = clock.monotonic();
      let pending: void | Promise<void>;
      try {
        pending = next(exchange);
      } catch (error) {
        ended(exchange, startedMs, error);
        throw error;
      }
      if (pending === undefined) return ended(exchange, startedMs);
      return pending.then(
        () => ended(exchange, startedMs),
        (error: unknown) => {
          ended(exchange, startedMs, error);
          throw error;
        },
      );
    };
  }
}

function covers(filters: readonly StreamFilter[], route: RouteIdentity): boolean {
  return filters.some((filter) => coversRoute(filter, route));
}
