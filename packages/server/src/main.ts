// The composition root: creates all parts of a server in dependency order.
import type { RunListener } from "@sluice/engine";
import type { Configuration } from "./config.ts";
import type { Embedding } from "./embedding/embedding.ts";
import type { ExternalFlows } from "./flows/external-flows.ts";
import type { LeaderPort } from "./other-workers/service-view.ts";
import { loadPlugins } from "./plugins/load-plugins.ts";
import { Captures } from "./replay/captures.ts";
import type { RunningServer } from "./running-server.ts";
import { joinWorkers } from "./start/join-workers.ts";
import { createLateParts } from "./start/late-parts.ts";
import { openDocuments } from "./start/open-documents.ts";
import { openEngine } from "./start/open-engine.ts";
import { openBreakpoints, openFlows, openSessions } from "./start/open-flows.ts";
import { openHttp, openListener } from "./start/open-http.ts";
import { openManagement, type ServerParts } from "./start/open-management.ts";
import { assertClusterVariant, openClusterNode, openDurableStore, openProcess, openStoredRuns } from "./start/open-process.ts";
import { openStreams } from "./start/open-streams.ts";
import { serve } from "./start/serve.ts";
import { opensOwnPort, type StartVariant } from "./start/start-variant.ts";
import { usablePort } from "./start/usable-port.ts";
import type { LeaderParts } from "./workers/leader.ts";

/** Starts a runtime; resolves when it is ready. The log is written to the file descriptor `output`, after one line with the base URL. */
export function startServer(configuration: Configuration, output = 1, externalFlows?: ExternalFlows): Promise<RunningServer> {
  return start(configuration, output, { externalFlows });
}

/** Starts the leader of a service with several workers; the supervisor writes the first line of output. */
export function startLeaderServer(
  configuration: Configuration,
  externalFlows: ExternalFlows | undefined,
  leaderPort: LeaderPort<LeaderParts, RunListener>,
): Promise<RunningServer> {
  return start(configuration, 1, { externalFlows, leaderPort });
}

/** Starts a worker that is a node of a cluster; the supervisor writes the first line of output. */
export function startNodeServer(configuration: Configuration, externalFlows: ExternalFlows | undefined, worker: number): Promise<RunningServer> {
  return start(configuration, 1, { externalFlows, worker });
}

/** Starts a runtime that accepts only messages of test sessions. */
export function startTrialServer(configuration: Configuration, output: number): Promise<RunningServer> {
  return start(configuration, output, { isTrial: true });
}

/** Starts a runtime inside a host application: only log records are written to `output`, and a port is opened only on request. */
export function startEmbeddedServer(configuration: Configuration, output: number, embedding: Embedding): Promise<RunningServer> {
  return start(configuration, output, { embedding });
}

async function start(configuration: Configuration, output: number, variant: StartVariant): Promise<RunningServer> {
  const startedAt = Date.now();
  const { settings } = configuration;
  const plugins = await loadPlugins(settings);
  assertClusterVariant(settings, variant);
  if (opensOwnPort(variant)) await usablePort(settings);
  const lateParts = createLateParts();
  const server = openProcess(configuration, output, variant, startedAt);
  const durable = openDurableStore(server, lateParts);
  const runStore = openStoredRuns(server);
  try {
    server.cluster = await openClusterNode(server);
    const streams = openStreams(server, lateParts);
    const documents = await openDocuments(server);
    const http = await openHttp(server, lateParts);
    const { mappings, routeStates } = documents;
    const engine = await openEngine(server, { plugins, durable, runStore, trace: streams.trace, mappings, routeStates, http: http.mounts.port }, lateParts);
    const sessions = openSessions(server, engine, streams, lateParts);
    const captures = lateParts.captures.set(new Captures(engine.runtime, server.clock, server.settings.captureBytes));
    const breakpoints = openBreakpoints(server, engine);
    const flows = openFlows(server, { documents, engine, streams, startTrial: startTrialServer }, lateParts);
    const parts: ServerParts = { server, durable, documents, streams, http, engine, sessions, captures, breakpoints, flows };
    const service = joinWorkers(parts);
    const management = openManagement(parts, service, lateParts);
    const listener = lateParts.listener.set(openListener(server, http, management.handler));
    return await serve(parts, listener, management, service);
  } catch (error) {
    await server.cluster?.close();
    await durable.close();
    await runStore?.close();
    server.lock.release();
    server.writer.open();
    server.writer.close();
    throw error;
  }
}
