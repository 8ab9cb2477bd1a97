import { misnamedVariables } from "../config.ts";
import { findConnectionFolders } from "../connections/connection-folders.ts";
import { findKameletFolders } from "../kamelets/find-kamelet-folders.ts";
import { localDeadLetters } from "../dead-letters/dead-letter-store.ts";
import { invokeInProcess } from "../embedding/invoke-in-process.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import type { InstalledFlow } from "../flows/installed-flows.ts";
import { loadFlows, reloadFlows, type LoadReport } from "../flows/load-flows.ts";
import { watchFlows } from "../flows/watch-flows.ts";
import type { HttpListener } from "../http/listener.ts";
import { callManagement } from "../http/local-call.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import { watchFunctions } from "../plugins/watch-functions.ts";
import { baseUrlOf, type Announcement, type RunningServer } from "../running-server.ts";
import { shutDown, type ShutdownReport } from "../shutdown.ts";
import { missingDriver } from "../store/sqlite.ts";
import { version } from "../version.ts";
import { watchDocuments } from "../watch-documents.ts";
import { closeAll } from "./close-all.ts";
import type { Management, ServerParts } from "./open-management.ts";

/** Time limit for sending the last spans on shutdown. */
const lastSpansMs = 2_000;

/** Loads documents, starts flows, opens the port; resolves when requests are served. */
export async function serve(parts: ServerParts, listener: HttpListener, management: Management, service: ServiceView | undefined): Promise<RunningServer> {
  const { server, documents, engine, flows } = parts;
  const { settings, variant, clock, secrets, log } = server;
  const { runtime } = engine;
  await documents.mappings.load(engine.catalog, engine.host);
  await engine.namedConnections.load();
  const report = await loadFlows(flows);
  const { namedConnections: connections, kamelets } = engine;
  await server.cluster?.follow({ flows, runtime, mappings: documents.mappings, policies: parts.http.policies, connections, kamelets });
  const open = async (): Promise<number> => {
    if (variant.externalFlows !== undefined && !settings.watch) await assertAnyUsable([...flows.installed.values()], variant.externalFlows);
    return variant.embedding?.opensPort === false ? 0 : (await listener.listen(settings.port, settings.host, variant.isTrial === true)).port;
  };
  const port = await open().catch((error: unknown) => runtime.stop().then(() => Promise.reject(error)));
  const watchers = settings.watch ? watch(parts, report, service) : [];
  if (variant.leaderPort !== undefined) await listener.listenForWorkers(variant.leaderPort.socketPath);
  server.phase = "UP";
  server.cluster?.ready();
  void server.cluster?.takeOverDeadLetters(localDeadLetters(parts.durable));
  const baseUrl = port === 0 ? "" : baseUrlOf(settings, port);
  const announcement = { baseUrl, pid: process.pid, version, flows: report.loaded, failedFlows: report.failed };
  announce(parts, announcement);

  let stopping: Promise<ShutdownReport> | undefined;
  return {
    baseUrl,
    port,
    announcement,
    log,
    api: (method, path, body) => callManagement(management.localHandler, { method, path: `/_api${path}`, token: settings.deployToken, body }),
    handler: listener.handler,
    invoke: (routeId, message) => invokeInProcess({ runtime, clock, secrets }, routeId, message),
    stop() {
      server.phase = "DRAINING";
      return (stopping ??= stop(parts, listener, watchers));
    },
  };
}

/**
 * A service that was started with flow files and can use none of them would look healthy to the process that starts it. Deployed flows are repaired
 * through the API.
 */
async function assertAnyUsable(flows: readonly InstalledFlow[], externalFlows: ExternalFlows): Promise<void> {
  const [first] = flows;
  if (externalFlows.mayAllFail === true || first === undefined || flows.some(({ error }) => error === undefined)) return;
  const external = new Set((await externalFlows.list()).map(({ id }) => id.toLowerCase()));
  if (flows.some(({ id }) => !external.has(id.toLowerCase()))) return;
  const subject = flows.length === 1 ? "" : `none of ${flows.length} flows can be used, for example `;
  throw new Error(`${subject}flow '${first.id}' (${first.file}): ${first.error}; correct it, or pass --watch to start and load it when it changes`);
}

/** Watches the data directory for manual changes; the returned functions stop watching. */
function watch({ server, documents, http, engine, flows }: ServerParts, { stamps }: LoadReport, service: ServiceView | undefined): readonly (() => void)[] {
  const { dataDir, log, variant, settings } = server;
  const { tables, documents: messageMappings } = documents.mappings;
  const { functions } = engine.plugins;
  return [
    // Not with several workers: each worker has loaded the module and would continue to use the old version.
    ...(functions === undefined || service !== undefined
      ? []
      : [watchFunctions({ ...functions, beans: engine.catalog.beans, log, changed: () => reloadFlows(flows) })]),
    watchFlows(flows, [documents.flowsDir, ...(variant.externalFlows?.folders ?? [])], stamps),
    ...watchDocuments({
      dataDir,
      log,
      tables,
      documents: messageMappings,
      policies: http.policies,
      connections: engine.namedConnections,
      kamelets: engine.kamelets,
      kameletFolders: findKameletFolders(settings).slice(1),
      connectionFolders: [...findConnectionFolders(settings), ...(settings.secretsDir === undefined ? [] : [settings.secretsDir])],
      ...(service === undefined ? {} : { changed: () => service.changed() }),
    }),
  ];
}

/** Writes the first line of output and startup warnings. */
function announce({ server }: ServerParts, announcement: Announcement): void {
  const { variant, writer, log, configuration } = server;
  // For workers the supervisor writes this line; a host application has its own output.
  const isStandalone = variant.leaderPort === undefined && variant.worker === undefined && variant.embedding === undefined;
  writer.open(isStandalone ? JSON.stringify(announcement) : undefined);
  if (isStandalone) for (const warning of misnamedVariables(configuration.environment)) log.write("WARN", "sluice", warning);
  const driverWarning = missingDriver();
  if (driverWarning !== undefined) log.write("WARN", "sluice.store", driverWarning);
}

async function stop(parts: ServerParts, listener: HttpListener, watchers: readonly (() => void)[]): Promise<ShutdownReport> {
  const { server, durable, streams, engine, sessions, captures, breakpoints } = parts;
  const { settings, log, clock, lock, writer } = server;
  try {
    // Held messages would delay the drain.
    breakpoints.closeAll("the runtime is shutting down");
    // The schedules move to other nodes, and the load balancer notices the failed readiness probe, before this node drains.
    if (server.cluster !== undefined)
      await Promise.all([server.cluster.leave(), new Promise<void>((resolve) => clock.after(settings.clusterLeaveMs, resolve))]);
    return await shutDown({
      listener,
      runtime: engine.runtime,
      log,
      hubs: [streams.trace.hub, streams.logs.hub],
      drainMs: settings.drainMs,
      clock,
    });
  } finally {
    await closeAll(log, {
      watchers: () => watchers.forEach((stopWatching) => stopWatching()),
      sessions: () => sessions.closeAll(),
      captures: () => captures.closeAll(),
      connections: () => engine.connections.close(),
      "span export": () => engine.spans?.close(lastSpansMs),
      cluster: () => server.cluster?.close(),
      "durable store": () => durable.close(),
      "run writer": () => engine.disk?.writer.flush(),
      "run store": () => engine.disk?.store.close(),
      "data lock": () => lock.release(),
    });
    writer.close();
  }
}
