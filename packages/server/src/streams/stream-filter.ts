// The filter of a stream client. It also determines which routes must be traced.
import type { RouteIdentity } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";

export type BodyDetail = "none" | "preview" | "full";

/** The properties of an event used by filters. */
export interface EventDetails {
  readonly flowId?: string | undefined;
  readonly routeId?: string | undefined;
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly stepId?: string | undefined;
  readonly type?: string | undefined;
  /** 0 TRACE … 4 ERROR, for log events. */
  readonly rank?: number | undefined;
}

export interface StreamFilter {
  /** The query that the filter was created from. */
  readonly query: FilterQuery;
  readonly flowId: string | undefined;
  readonly routeId: string | undefined;
  /** True if it includes all events of its flow and route, or of all routes. */
  readonly includesAllEvents: boolean;
  readonly body: BodyDetail;
  /** For the greeting: `routeId:orders,level:WARN`. */
  readonly text: string;
  matches(details: EventDetails): boolean;
  /** Whether `matchesText` must be called. */
  readonly needsText: boolean;
  /** Checks the event's text; called only if `matches`. */
  matchesText(json: string): boolean;
}

export const levelRanks: Readonly<Record<string, number>> = { TRACE: 0, DEBUG: 1, INFO: 2, WARN: 3, ERROR: 4 };

export type FilterQuery = Readonly<Partial<Record<"flowId" | "routeId" | "runId" | "sessionId" | "stepId" | "type" | "level" | "grep" | "body", string>>> & {
  readonly sample?: number | undefined;
};

export function createStreamFilter(query: FilterQuery): StreamFilter {
  const types = query.type?.split(",").map((type) => type.trim());
  const minRank = query.level === undefined ? undefined : levelRanks[query.level.toUpperCase()];
  if (query.level !== undefined && minRank === undefined) throw new ServiceError("query-invalid", `level must be one of ${Object.keys(levelRanks).join(", ")}`);
  const needle = query.grep?.toLowerCase();
  const { flowId, routeId, runId, sessionId, stepId } = query;
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return {
    query,
    flowId,
    routeId,
    includesAllEvents: [runId, sessionId, stepId, query.type, query.level, query.grep, query.sample].every((value) => value === undefined),
    body: (query.body ?? "preview") as BodyDetail,
    // Line breaks would end the comment line of the greeting.
    text: entries
      .map(
        ([name, value]) =>
          `${name}:${String(value)
            .replaceAll(/[\r\n]/g, " ")
            .slice(0, 200)}`,
      )
      .join(","),
    matches(details) {
      // Separate checks, because this runs for every event of a busy route.
      if (routeId !== undefined && details.routeId !== routeId) return false;
      if (flowId !== undefined && details.flowId !== flowId) return false;
      if (runId !== undefined && details.runId !== runId) return false;
      if (sessionId !== undefined && details.sessionId !== sessionId) return false;
      if (stepId !== undefined && details.stepId !== stepId) return false;
      if (
        types !== undefined &&
        details.type !== undefined &&
        !types.some((type) => type === details.type || (type.endsWith("*") && details.type?.startsWith(type.slice(0, -1)) === true))
      )
        return false;
      if (minRank !== undefined && details.rank !== undefined && details.rank < minRank) return false;
      return query.sample === undefined || details.runId === undefined || isSampled(details.runId, query.sample);
    },
    needsText: needle !== undefined,
    matchesText: (json) => needle === undefined || json.toLowerCase().includes(needle),
  };
}

/** A run is sampled with all its events or none. */
function isSampled(runId: string, fraction: number): boolean {
  let hash = 0;
  for (let index = 0; index < runId.length; index++) hash = (Math.imul(hash, 31) + runId.charCodeAt(index)) >>> 0;
  return hash / 2 ** 32 < fraction;
}

/** Whether a filter may match events of a route. */
export function coversRoute({ flowId, routeId }: StreamFilter, route: RouteIdentity): boolean {
  return (flowId ?? route.flowId) === route.flowId && (routeId ?? route.id) === route.id;
}
