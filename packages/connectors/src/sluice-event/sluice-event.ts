// Events of the runtime as messages: a route on `sluice-event:run.failed` can send notifications. Runs caused by an event raise
// no events, directly or through other routes, so that a route cannot trigger itself.
import {
  CompileError,
  defineConnector,
  Headers,
  Message,
  type Connector,
  type ConnectorDeclaration,
  type Endpoint,
  type Exchange,
  type Host,
  type RouteInput,
  type Source,
} from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";

/** An event of the runtime. */
export interface SluiceEvent {
  /** Two words separated by a dot, such as `run.failed` or `route.started`. */
  readonly name: string;
  readonly flowId?: string;
  readonly routeId?: string;
  /** Further data; it becomes part of the body, so it must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface SluiceEvents {
  readonly connector: ConnectorDeclaration;
  /** Notifies all listening routes. `exchange` is the subject of the event, if any. Fast; never throws. */
  emit(event: SluiceEvent, exchange?: Exchange): void;
}

/** Maximum number of waiting events per route; further events are dropped and counted in the log. */
const waitingLimit = 1000;
/** Property that marks all runs caused by an event, directly or through queues. */
const markProperty = "SluiceEventName";

const path = {
  name: f.string({
    doc: "Events to listen to: a name such as `run.failed`, several separated by commas, or a pattern such as `run.*` or `*`.",
    required: true,
    examples: ["run.failed"],
  }),
};

const options = {
  flowId: f.string({ doc: "Only events of this flow." }),
  routeId: f.string({ doc: "Only events of this route." }),
};

type Options = Values<typeof path> & Values<typeof options>;

export function sluiceEvents(): SluiceEvents {
  const listeners = new Set<Listener>();
  return {
    connector: defineConnector({
      scheme: "sluice-event",
      title: "Runtime events",
      summary: "Triggers a route on events of the runtime, such as a failed run.",
      guarantees:
        "Events are delivered at most once: they are stored in memory and are lost in a crash. Each route gets its events one at a time and in order; up to 1,000 are buffered, and additional events are dropped and counted in the log. Runs triggered by an event do not raise events, so a route cannot trigger itself.",
      group: "core",
      icon: "bell",
      since: "0.1",
      syntax: "sluice-event:name",
      roles: ["source"],
      trigger: "outside",
      path,
      options,
      headers: {
        SluiceEvent: f.string({ doc: "Name of the event." }),
        SluiceEventFlowId: f.string({ doc: "The flow of the event." }),
        SluiceEventRouteId: f.string({ doc: "The route of the event." }),
      },
      examples: [
        {
          title: "React to failed runs",
          yaml: `- route:
    id: alarm
    from:
      uri: sluice-event:run.failed
      steps:
        - setBody: {simple: "\${header.SluiceEventRouteId} failed"}
        - to: mock:result
- route:
    id: failing
    from:
      uri: timer:once
      parameters: {delay: 10ms, repeatCount: 1}
      steps:
        - throwException: {exceptionType: java.lang.IllegalStateException, message: broken}`,
          expect: { body: "failing failed" },
        },
      ],
      connect: (host): Connector<Options> => ({ source: (endpoint) => eventSource(endpoint, listeners, host) }),
    }),
    emit(event, exchange) {
      if (listeners.size === 0 || exchange?.properties?.has(markProperty) === true) return;
      for (const listener of listeners) if (listener.routeInput.route.id === event.routeId && listener.routeInput.route.flowId === event.flowId) return;
      for (const listener of listeners) listener.offer(event);
    },
  };
}

function eventSource({ uri, options }: Endpoint<Options>, listeners: Set<Listener>, host: Host): Source {
  const matches = matcher(options);
  let listener: Listener | undefined;
  const stop = (): void => {
    if (listener !== undefined) listeners.delete(listener);
    listener = undefined;
  };
  return {
    claims: [],
    exclusive: true,
    start(routeInput) {
      stop();
      listener = new Listener(routeInput, matches, uri, host);
      listeners.add(listener);
    },
    stop,
  };
}

function matcher({ name, flowId, routeId }: Options): (event: SluiceEvent) => boolean {
  const names = name.split(",").map((part) => part.trim());
  const invalid = names.find((part) => !/^(\*|[a-z-]+\.(\*|[a-z-]+))$/.test(part));
  if (invalid !== undefined) throw new CompileError("bad-option", `unknown event '${invalid}'`, { hint: "write run.failed, run.* or *" });
  const matchesName = (event: string): boolean =>
    names.some((part) => part === "*" || part === event || (part.endsWith(".*") && event.startsWith(part.slice(0, -1))));
  return (event) => matchesName(event.name) && (flowId === undefined || event.flowId === flowId) && (routeId === undefined || event.routeId === routeId);
}

/** One started source: delivers its events one at a time. */
class Listener {
  readonly routeInput: RouteInput;
  readonly #matches: (event: SluiceEvent) => boolean;
  readonly #uri: string;
  readonly #host: Host;
  readonly #waiting: { readonly event: SluiceEvent; readonly at: number }[] = [];
  #working = false;
  #dropped = 0;

  constructor(routeInput: RouteInput, matches: (event: SluiceEvent) => boolean, uri: string, host: Host) {
    this.routeInput = routeInput;
    this.#matches = matches;
    this.#uri = uri;
    this.#host = host;
  }

  offer(event: SluiceEvent): void {
    if (!this.#matches(event)) return;
    if (this.#waiting.length >= waitingLimit) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({ event, at: this.#host.clock.now() });
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    await this.#host.clock.yieldToEventLoop();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.routeInput.deliver(messageOf(next.event, next.at), { trigger: { uri: this.#uri }, properties: new Map([[markProperty, next.event.name]]) });
    }
    this.#working = false;
    if (this.#dropped > 0)
      this.#host.log.write("WARN", "sluice-event", `Route '${this.routeInput.route.id}' could not keep up; events dropped: ${this.#dropped}`);
    this.#dropped = 0;
  }
}

function messageOf({ name, flowId, routeId, details }: SluiceEvent, at: number): Message {
  const body = { event: name, flowId, routeId, timestamp: new Date(at).toISOString(), ...details };
  const headers = Headers.of({ SluiceEvent: name });
  if (flowId !== undefined) headers.set("SluiceEventFlowId", flowId);
  if (routeId !== undefined) headers.set("SluiceEventRouteId", routeId);
  return new Message(body, headers);
}
