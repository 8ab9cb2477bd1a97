// The parts of a follower that run flows. They are like those of the leader, but without stores; the state is replicated from the leader.
import type { Log, LogLevel, RunListener } from "@sluice/engine";
import { connectionIndex, loadClient, sluiceEvents } from "@sluice/connectors";
import { createRuntime } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import { createConnectionTypes } from "../connections/connection-types.ts";
import { openConnections } from "../connections/open-connections.ts";
import { createProcessLog } from "../log/process-log.ts";
import { createHost } from "../host/host.ts";
import { systemClock } from "../host/clock.ts";
import { createEnvironment } from "../host/environment.ts";
import { createIds } from "../host/ulid.ts";
import type { Ingress } from "../http/ingress.ts";
import { localDeadLetters } from "../dead-letters/dead-letter-store.ts";
import { createDeadLetterWriter } from "../dead-letters/dead-letter-writer.ts";
import { createMemoryDocumentStore } from "../mappings/memory-document-store.ts";
import { createMappings } from "../mappings/open-mappings.ts";
import { openSpanExport } from "../metrics/open-span-export.ts";
import { maxNames } from "../metrics/metrics-text.ts";
import { createRunCounts } from "../metrics/run-counts.ts";
import { ReplayStore } from "../replay/replay-store.ts";
import { openHistory } from "../run-store/open-run-store.ts";
import { createRunListener } from "../runs/run-listener.ts";
import { stepTap } from "../runs/step-tap.ts";
import { findResourceFolders, resourceFolders } from "../resources/resource-folders.ts";
import { loadPlugins } from "../plugins/load-plugins.ts";
import { catalogFor, connectionSettings, runtimeLimits, streamBufferOptions } from "../runtime-settings.ts";
import { queuePort } from "../store/queue-port.ts";
import { unopenedStore } from "../store/unopened-store.ts";
import { LogRecorder } from "../streams/log-recorder.ts";
import { TraceRecorder } from "../streams/trace-recorder.ts";
import { version } from "../version.ts";
import type { Calls } from "./calls.ts";
import type { InFlightRuns } from "./in-flight-runs.ts";
import { sendRuns } from "./sent-runs.ts";

export type FollowerProcess = ReturnType<typeof openFollowerProcess>;

export function openFollowerProcess(configuration: Configuration) {
  const { settings, environment: variables } = configuration;
  const { log, writer, secrets } = createProcessLog(configuration, 1);
  writer.open();
  return { settings, log, writer, secrets, clock: systemClock, environment: createEnvironment(variables) };
}

export async function openFollowerRuntime(process: FollowerProcess, ingress: Ingress, calls: Calls, inFlightRuns: InFlightRuns) {
  const { settings, log, secrets, clock, environment } = process;
  const stores = { tables: createMemoryDocumentStore(), documents: createMemoryDocumentStore() };
  const mappings = createMappings(stores.tables, stores.documents, silence(log));
  const plugins = await loadPlugins(settings);
  const connectionTypes = createConnectionTypes(plugins.connections, connectionIndex, connectionSettings(settings));
  const connections = openConnections({ types: connectionTypes, secrets, host: () => host, load: loadClient });
  const host = createHost({
    log,
    ids: createIds(() => Date.now()),
    http: ingress.port,
    environment,
    secrets,
    lookup: mappings.tables.lookup,
    connections,
    resources: resourceFolders(findResourceFolders(settings)),
  });
  const events = sluiceEvents();
  const catalog = await catalogFor(settings, plugins, {
    connectionTypes,
    events,
    queues: queuePort(unopenedStore, () => false),
    deadLetters: createDeadLetterWriter(localDeadLetters(unopenedStore), settings.queueMessageBytes),
    mappings: mappings.documents,
  });
  const bufferOptions = { ...streamBufferOptions(settings, secrets), lingers: false };
  const trace = new TraceRecorder({ ...bufferOptions, runtime: () => runtime, wasMocked: () => false });
  const logs = new LogRecorder({ ...bufferOptions, minLevel: settings.logLevel.toUpperCase() as LogLevel, recentLines: () => [] });
  log.setListener(logs);
  // Routes with capture enabled run in the leader.
  const sink = settings.runStore === "disk" ? sendRuns(calls) : undefined;
  const { history, writer: runWriter } = openHistory(settings, sink, { secrets, captured: () => undefined });
  const replayStore = new ReplayStore(settings.replayBytes);
  const counts = createRunCounts({ maxRoutes: maxNames, isInService: (routeId) => runtime.routes.has(routeId) });
  const spans = openSpanExport({ settings, version, clock, log, secrets });
  const leaderEvents = { ...events, emit: (event: Parameters<typeof events.emit>[0]) => calls.notify("leader", "event", event) };
  const runListener = createRunListener({ history, replayStore, counts, trace, log, events: leaderEvents, secrets, spans });
  // Route state is owned by the leader and only mirrored here.
  const mirrorListener: RunListener = { ...runListener, routeChanged: () => undefined };
  const runtime = createRuntime({ catalog, host, listener: inFlightRuns.listen(mirrorListener), limits: runtimeLimits(settings) });
  runtime.tap(stepTap);
  await mappings.load(catalog, host);
  return { runtime, stores, mappings, connections, trace, logs, history, runWriter, replayStore, counts, spans };
}

/** A log that discards everything: the leader has logged it already. */
function silence(log: Log): Log {
  return { ...log, write: () => undefined };
}
