import type { Deployment } from "@sluice/engine";
import type { StoredParams } from "../flows/flow-store.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import type { ServerParts } from "./open-management.ts";

/** Connects the leader to the other workers; undefined for a single process. */
export function joinWorkers({ server, documents, streams, http, engine, sessions, captures, breakpoints, flows }: ServerParts): ServiceView | undefined {
  const { settings, variant, log } = server;
  return variant.leaderPort?.attach({
    runtime: engine.runtime,
    paramsOf: flows.paramsOf as WeakMap<Deployment, StoredParams>,
    properties: documents.properties,
    policies: http.policies,
    mappings: documents.mappings,
    connections: engine.namedConnections,
    sessions,
    captures,
    breakpoints,
    history: engine.history,
    disk: engine.disk,
    replayStore: engine.replayStore,
    counts: engine.counts,
    trace: streams.trace,
    workers: settings.workers,
    drainMs: settings.drainMs,
    runsPerRoute: settings.runHistory,
    hubs: { trace: streams.trace.hub, log: streams.logs.hub },
    events: engine.events,
    log,
    setOtherLines: streams.setOtherLines,
    draining: () => void (server.phase = "DRAINING"),
  });
}
