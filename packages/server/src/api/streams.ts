import { f, type Fields, type Values } from "@sluice/model";
import type { EventHub } from "../streams/event-hub.ts";
import { traceEventFilters } from "../streams/trace-event-types.ts";
import type { StreamOpener } from "../streams/open-stream.ts";
import type { NodeQueries } from "../other-nodes/node-queries.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import { defineEndpoint, type Endpoint, type Shape } from "./endpoint.ts";
import { gapShape, logShape, traceShape } from "./event-shapes.ts";

const sharedFilters = {
  flowId: f.string({ doc: "Only events of this flow." }),
  routeId: f.string({ doc: "Only events of this route." }),
  runId: f.string({ doc: "Only events of this run." }),
  sessionId: f.string({ doc: "Only events of this test session." }),
  stepId: f.string({ doc: "Only events of this step." }),
  grep: f.string({ doc: "Only events with this text; case-insensitive." }),
  sample: f.number({ doc: "Fraction of runs to include, 0 to 1.", min: 0, max: 1 }),
  since: f.string({ doc: "Continue after this event id; the header Last-Event-ID takes precedence." }),
  replay: f.integer({ doc: "Send this many past events first.", min: 0, max: 10_000 }),
} as const;

const traceFilters = {
  type: f.list(f.enum(traceEventFilters, { doc: "A type of event.", required: true }), {
    doc: "Only these event types, comma-separated; `step.*` matches all step events.",
  }),
  body: f.enum(["none", "preview", "full"], { doc: "How much of a message body is included: nothing, 4 KiB or 256 KiB." }),
  ...sharedFilters,
} as const;

const logFilters = { level: f.string({ doc: "Minimum log level." }), ...sharedFilters } as const;

const continues =
  "A client that reconnects with Last-Event-ID receives the events that it missed; if they are no longer available, the event `gap` has their number.";

export function streamEndpoints(
  opener: StreamOpener,
  hubs: { readonly trace: EventHub; readonly log: EventHub },
  service: ServiceView | undefined,
  nodes: NodeQueries | undefined,
): readonly Endpoint[] {
  const stream = (path: string, summary: string, description: string, hub: EventHub, event: Shape, filters: Fields): Endpoint =>
    defineEndpoint({
      method: "GET",
      path,
      tag: "streams",
      summary,
      description,
      query: filters,
      errors: ["saturated"],
      replies: { 200: { description: "Server-sent events.", mediaType: "text/event-stream", events: { [hub.name]: event, gap: gapShape } } },
      async handle({ query, headers }) {
        const { since, replay, type, ...others } = query as Values<typeof traceFilters & typeof logFilters>;
        const filter = { ...others, type: type?.join(",") };
        const opened = opener.open(hub, { since, replay, ...filter }, headers["last-event-id"] as string | undefined);
        await service?.watch(hub, filter);
        await nodes?.watch(hub, filter);
        return { status: 200, headers: opened.headers, stream: opened.connect };
      },
    });
  return [
    stream("/trace/stream", "Streams live trace events", `Events of runs, steps, routes and flows. ${continues}`, hubs.trace, traceShape, traceFilters),
    stream("/logs/stream", "Streams live log events", `Lines of the log as objects. ${continues}`, hubs.log, logShape, logFilters),
  ];
}
