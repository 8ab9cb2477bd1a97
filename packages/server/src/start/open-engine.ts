import { join } from "node:path";
import { connectionIndex, loadClient, sluiceEvents, type SluiceEvents } from "@sluice/connectors";
import { createRuntime, type Host, type Runtime } from "@sluice/engine";
import { kameletSearchPath } from "../kamelets/find-kamelet-folders.ts";
import { openDiskKameletStore } from "../kamelets/disk-kamelet-store.ts";
import { InstalledKamelets } from "../kamelets/installed-kamelets.ts";
import { findResourceFolders, resourceFolders } from "../resources/resource-folders.ts";
import type { ServerCatalog } from "../catalog.ts";
import { closedConnections } from "../connections/closed-connections.ts";
import { findConnectionFolders, withConnectionFolders } from "../connections/connection-folders.ts";
import { createConnectionTypes } from "../connections/connection-types.ts";
import { missingConnection, noConnectionOfKind } from "../connections/find-connection.ts";
import { NamedConnections } from "../connections/named-connections.ts";
import { openConnections, type OpenConnections } from "../connections/open-connections.ts";
import { localDeadLetters, type DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import { createDeadLetterWriter, type DeadLetterWriter } from "../dead-letters/dead-letter-writer.ts";
import { restartFailed } from "../flows/load-flows.ts";
import { routeControl } from "../flows/route-control.ts";
import type { RouteStates } from "../flows/route-states.ts";
import { createHost } from "../host/host.ts";
import { openDiskDocumentStore } from "../mappings/disk-document-store.ts";
import type { DocumentStore } from "../mappings/document-store.ts";
import type { RemoteFlow } from "../mappings/installed-document.ts";
import { createMemoryDocumentStore } from "../mappings/memory-document-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import { maxNames } from "../metrics/metrics-text.ts";
import { openSpanExport } from "../metrics/open-span-export.ts";
import { createRunCounts, type RunCounts } from "../metrics/run-counts.ts";
import type { SpanExport } from "../metrics/span-export.ts";
import type { Plugins } from "../plugins/load-plugins.ts";
import { ReplayStore } from "../replay/replay-store.ts";
import { openHistory, type DiskRuns } from "../run-store/open-run-store.ts";
import type { RunStore } from "../run-store/run-store.ts";
import type { RunHistory } from "../runs/run-history.ts";
import { createRunListener } from "../runs/run-listener.ts";
import { stepTap } from "../runs/step-tap.ts";
import { catalogFor, connectionSettings, runtimeLimits } from "../runtime-settings.ts";
import type { DurableStore } from "../store/durable-store.ts";
import { queuePort } from "../store/queue-port.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import { trialCatalog } from "../trial/trial-catalog.ts";
import { version } from "../version.ts";
import type { LateParts } from "./late-parts.ts";
import type { ServerProcess } from "./open-process.ts";

/** The engine with its dependencies and run records. */
export interface EngineParts extends RunRecords {
  readonly plugins: Plugins;
  readonly connections: OpenConnections;
  readonly namedConnections: NamedConnections;
  readonly kamelets: InstalledKamelets;
  readonly host: Host;
  readonly events: SluiceEvents;
  readonly deadLetters: DeadLetterWriter;
  readonly deadLetterSource: DeadLetterSource;
  readonly catalog: ServerCatalog;
  readonly runtime: Runtime;
}

interface RunRecords {
  readonly history: RunHistory;
  /** Undefined when runs are stored in memory only. */
  readonly disk: DiskRuns | undefined;
  readonly replayStore: ReplayStore;
  readonly counts: RunCounts;
  /** Undefined unless a collector is configured. */
  readonly spans: SpanExport | undefined;
}

interface EngineDependencies {
  readonly plugins: Plugins;
  readonly durable: DurableStore;
  readonly runStore: RunStore | undefined;
  readonly trace: TraceRecorder;
  readonly mappings: Mappings;
  readonly routeStates: RouteStates;
  readonly http: Host["http"];
}

export async function openEngine(
  server: ServerProcess,
  { plugins, durable, runStore, trace, mappings, routeStates, http }: EngineDependencies,
  lateParts: LateParts,
): Promise<EngineParts> {
  const { settings, variant, ids, log, secrets, environment } = server;
  const connectionTypes = createConnectionTypes(plugins.connections, connectionIndex, connectionSettings(settings));
  const connections =
    variant.isTrial === true
      ? closedConnections(connectionTypes, () => host)
      : openConnections({ types: connectionTypes, secrets, host: () => host, load: loadClient });
  const [deployed, ...folders] = kameletSearchPath(settings);
  const kamelets = new InstalledKamelets({
    store: server.cluster?.stores.kamelets ?? (await openDiskKameletStore(deployed)),
    folders,
    log,
    flows: () => lateParts.flows.current,
    remoteUsers: remoteUsers(server, "kamelet"),
  });
  const resources = resourceFolders(findResourceFolders(settings));
  const host = createHost({ log, ids, http, environment, secrets, lookup: mappings.tables.lookup, connections, kamelets: kamelets.files, resources });
  const events = sluiceEvents();
  const deadLetterSource = server.cluster?.deadLetters ?? localDeadLetters(durable);
  const deadLetters = createDeadLetterWriter(deadLetterSource, settings.queueMessageBytes);
  const fullCatalog = await catalogFor(settings, plugins, {
    connectionTypes,
    events,
    queues: queuePort(durable, (id) => lateParts.sessions.current.isOpen(id), server.cluster?.queues()),
    deadLetters,
    control: routeControl(() => lateParts.runtime.current, routeStates, log),
    mappings: mappings.documents,
  });
  server.cluster?.shareBeans(fullCatalog.beans);
  const catalog = variant.isTrial === true ? trialCatalog(fullCatalog) : fullCatalog;
  const records = openRunRecords(server, runStore, lateParts);
  const listener = createRunListener({ ...records, trace, log, events, secrets });
  const runtime = createRuntime({
    catalog,
    host,
    listener: variant.leaderPort?.listen(listener) ?? listener,
    limits: runtimeLimits(settings),
    inactiveStatus: (route) => routeStates.of(route),
    gate: server.cluster?.gate,
  });
  runtime.tap(stepTap);
  const namedConnections = new NamedConnections({
    store: await openConnectionStore(server),
    types: connectionTypes,
    connections,
    references: { variable: environment.named, secretsDir: settings.secretsDir },
    log,
    host: () => host,
    load: loadClient,
    usersOf: (id) => [...runtime.deployments.values()].filter((deployment) => deployment.connections.has(id)).map((deployment) => deployment.id),
    remoteUsers: remoteUsers(server, "connection"),
    becameAvailable: (id) =>
      void restartFailed(lateParts.flows.current, missingConnection(id)).then(() => restartFailed(lateParts.flows.current, noConnectionOfKind)),
  });
  return {
    ...records,
    plugins,
    connections,
    namedConnections,
    kamelets,
    host,
    events,
    deadLetters,
    deadLetterSource,
    catalog,
    runtime: lateParts.runtime.set(runtime),
  };
}

/** Trials store nothing. */
async function openConnectionStore({ variant, dataDir, settings, cluster }: ServerProcess): Promise<DocumentStore> {
  const openLocal = (): Promise<DocumentStore> => openDiskDocumentStore(join(dataDir, "connections"), { isPrivate: true, readsYaml: true });
  const store = variant.isTrial === true ? createMemoryDocumentStore() : (cluster?.stores.connections ?? (await openLocal()));
  return withConnectionFolders(store, findConnectionFolders(settings));
}

/** The flows of other nodes that use a document. */
const remoteUsers =
  ({ cluster }: ServerProcess, kind: "connection" | "kamelet") =>
  async (id: string): Promise<readonly RemoteFlow[]> =>
    cluster?.remoteUsers(kind, id) ?? [];

function openRunRecords({ settings, clock, log, secrets }: ServerProcess, store: RunStore | undefined, lateParts: LateParts): RunRecords {
  const { history, writer } = openHistory(settings, store, { secrets, captured: (runId) => lateParts.captures.current.of(runId) });
  return {
    history,
    disk: store === undefined || writer === undefined ? undefined : { store, writer },
    replayStore: new ReplayStore(settings.replayBytes),
    counts: createRunCounts({ maxRoutes: maxNames, isInService: (routeId) => lateParts.runtime.current.routes.has(routeId) }),
    spans: openSpanExport({ settings, version, clock, log, secrets }),
  };
}
