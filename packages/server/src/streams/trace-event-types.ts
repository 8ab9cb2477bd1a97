// Declared once: the recorder may only publish these types, and clients may only select these.
const groups = ["run", "step", "route", "flow"] as const;

const traceEventTypes = [
  "run.started",
  "run.completed",
  "run.failed",
  "run.discarded",
  "run.cancelled",
  "step.started",
  "step.completed",
  "step.failed",
  "step.retrying",
  "route.started",
  "route.stopped",
  "route.failed",
  "flow.deployed",
  "flow.removed",
] as const satisfies readonly `${(typeof groups)[number]}.${string}`[];

export type TraceEventType = (typeof traceEventTypes)[number];

/** What a client can select: a type, or all types of a group. */
export const traceEventFilters = [...traceEventTypes, ...groups.map((group) => `${group}.*` as const)] as const;
