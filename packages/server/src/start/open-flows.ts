import type { Deployment } from "@sluice/engine";
import type { StoredParams } from "../flows/flow-store.ts";
import type { FlowParts } from "../flows/installed-flows.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import { BreakpointSessions } from "../breakpoints/breakpoint-sessions.ts";
import { createSessionLanguages } from "../sessions/session-languages.ts";
import { createTestSessions, type TestSessions } from "../sessions/test-sessions.ts";
import { readTests, tryFlow, type TrialParts } from "../trial/try-flow.ts";
import type { LateParts } from "./late-parts.ts";
import type { Documents } from "./open-documents.ts";
import type { EngineParts } from "./open-engine.ts";
import type { ServerProcess } from "./open-process.ts";
import type { Streams } from "./open-streams.ts";

export function openSessions(
  { settings, clock, secrets, cluster }: ServerProcess,
  { runtime, catalog, host }: EngineParts,
  streams: Streams,
  lateParts: LateParts,
): TestSessions {
  return lateParts.sessions.set(
    createTestSessions({
      runtime,
      clock,
      secrets,
      ...createSessionLanguages(catalog, host),
      mode: settings.testSessions,
      maxSessions: settings.maxSessions,
      maxCalls: settings.sessionCalls,
      maxBytes: settings.sessionBytes,
      mocked: streams.mocked,
      ...(cluster === undefined ? {} : { expired: () => void cluster.publishSessions() }),
    }),
  );
}

export function openBreakpoints({ settings, clock, secrets, log }: ServerProcess, { runtime, catalog, host }: EngineParts): BreakpointSessions {
  const { compilePredicate } = createSessionLanguages(catalog, host);
  return new BreakpointSessions({
    runtime,
    clock,
    secrets,
    log,
    compilePredicate,
    allowed: settings.breakpoints,
    maxSessions: settings.maxBreakpointSessions,
    leaseMs: settings.breakpointLeaseMs,
    holdMs: settings.breakpointHoldMs,
    runMs: settings.runMs,
  });
}

interface FlowDependencies {
  readonly documents: Documents;
  readonly engine: EngineParts;
  readonly streams: Streams;
  readonly startTrial: TrialParts["start"];
}

/** Creates the parts for installing and removing flows, without loading any. */
export function openFlows(server: ServerProcess, { documents, engine, streams, startTrial }: FlowDependencies, lateParts: LateParts): FlowParts {
  const { configuration, variant, log, secrets, environment, cluster } = server;
  const { mappings, properties } = documents;
  return lateParts.flows.set({
    store: documents.flows,
    tests: documents.tests,
    routeStates: documents.routeStates,
    trial: { check: readTests, run: (candidate) => tryFlow({ configuration, start: startTrial, stores: cluster?.stores }, candidate) },
    runtime: engine.runtime,
    log,
    secrets,
    environment,
    properties,
    paramsOf: variant.leaderPort === undefined ? undefined : new WeakMap<Deployment, StoredParams>(),
    problemsOf: cluster === undefined ? undefined : (deployment) => cluster.problemsOf(deployment, engine.catalog),
    installed: new Map(),
    mutex: createKeyedMutex(),
    mappings: { hasTable: (id) => mappings.tables.list().some((table) => table.id === id), hasDocument: (id) => mappings.documents.find(id) !== undefined },
    announce(change, flowId, hash) {
      streams.trace.flowChanged(change, flowId, hash);
      engine.events.emit({ name: `flow.${change}`, flowId, details: { hash } });
    },
  });
}
