// A worker that serves webhooks in addition to the leader. It runs the routes that every worker may run and forwards everything else to the leader:
// the management API, routes that are tied to one process, and requests it would reject.
import type { Log } from "@sluice/engine";
import { followPolicies } from "../access/open-policies.ts";
import type { Configuration, Settings } from "../config.ts";
import { createHttpBytes, httpByteMetrics } from "../http/http-bytes.ts";
import { createIngress, type Ingress } from "../http/ingress.ts";
import { createListener, type HttpListener } from "../http/listener.ts";
import { PlainInboundRequest } from "../http/plain/plain-inbound-request.ts";
import type { NodeInboundRequest } from "../http/node-inbound-request.ts";
import { readTarget } from "../http/target.ts";
import { httpLimits } from "../http-settings.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { workerMetrics } from "../metrics/process-metrics.ts";
import type { WorkerMetrics } from "../other-workers/worker-metrics.ts";
import { shutDown, type ShutdownReport } from "../shutdown.ts";
import type { Calls } from "./calls.ts";
import { openFollowerProcess, openFollowerRuntime, type FollowerProcess } from "./follower-runtime.ts";
import { createForwarder, type Forwarder } from "./forwarder.ts";
import { handleLeaderCalls } from "./handle-leader-calls.ts";
import type { InFlightRuns } from "./in-flight-runs.ts";
import { reportChangedMetrics } from "./changed-metrics.ts";
import { ReplicatedState } from "./replicated-state.ts";

export interface Follower {
  readonly log: Log;
  readonly port: number;
  stop(): Promise<ShutdownReport>;
}

export interface FollowerParts {
  readonly configuration: Configuration;
  readonly socketPath: string;
  readonly calls: Calls;
  readonly inFlightRuns: InFlightRuns;
}

/** How long requests wait for a leader that is unavailable. */
const waitMs = 15_000;
/** How long a starting follower waits for the leader's first response. */
const joinWithinMs = 120_000;
const retryEveryMs = 100;
const lastSpansMs = 2_000;

/** Starts a follower; resolves when it serves requests. */
export async function startFollower({ configuration, socketPath, calls, inFlightRuns }: FollowerParts): Promise<Follower> {
  const startedAt = Date.now();
  calls.on("leader-exited", () => calls.failPending("leader"));
  const process = openFollowerProcess(configuration);
  const { settings, log, writer, secrets, environment, clock } = process;
  const forwarder = createForwarder({ socketPath, waitMs, isDraining: () => listener.draining });
  const http = openHttp(process, calls, forwarder);
  const { runtime, stores, mappings, connections, trace, logs, history, runWriter, replayStore, counts, spans } = await openFollowerRuntime(
    process,
    http.ingress,
    calls,
    inFlightRuns,
  );
  const { policies } = http;
  const properties = await retryUntilLeaderResponds(() => calls.call<ReadonlyMap<string, string>>("leader", "properties"));
  const state = new ReplicatedState({ runtime, log, secrets, environment, properties, policies, mappings, connections, stores });
  const listener = openListener(http, settings, state, forwarder);

  handleLeaderCalls(calls, { state, policies, history, runWriter, replayStore, secrets, trace, logs, recentLines: () => writer.recent() });
  const metrics = (): WorkerMetrics =>
    workerMetrics({
      startedAt,
      runtime,
      counts,
      connections: listener.connections,
      webhookCalls: http.ingress.active,
      httpBytes: httpByteMetrics(http.bytes),
      mask: (text) => secrets.scrub(maskUris(text)),
    });
  calls.on("metrics", metrics);
  const stopReporting = reportChangedMetrics(metrics, counts, (changes) => calls.notify("leader", "changed-metrics", changes));
  const join = (): Promise<unknown> => calls.call("leader", "join", undefined, joinWithinMs);
  calls.on("rejoin", join);

  await retryUntilLeaderResponds(join);
  const address = await listener.listen(settings.port, settings.host, false);

  let stopping: Promise<ShutdownReport> | undefined;
  return {
    log,
    port: address.port,
    stop: () =>
      (stopping ??= shutDown({ listener, runtime, log: withoutInfo(log), hubs: [], drainMs: settings.drainMs, clock }).finally(async () => {
        await connections.close();
        await runWriter?.flush();
        forwarder.close();
        stopReporting();
        await spans?.close(lastSpansMs);
        writer.close();
      })),
  };
}

type FollowerHttp = ReturnType<typeof openHttp>;

function openHttp({ settings, log, secrets, environment, clock }: FollowerProcess, calls: Calls, forwarder: Forwarder) {
  const limits = httpLimits(settings);
  const bytes = createHttpBytes(limits.maxBodyBytesHeld);
  const reportFault = (fault: unknown, reference: string): void =>
    log.write("ERROR", "sluice.http", `Internal error (ref ${reference})`, undefined, { error: fault });
  const policies = followPolicies({
    settings,
    dataDir: settings.dataDir,
    environment,
    secrets,
    log,
    clock,
    isInstalled: () => true,
    fetchText: (uri) => calls.call<string>("leader", "fetch-text", { uri }),
  });
  const ingress = createIngress({
    limits,
    bytes,
    accessOf: policies.accessOf,
    // Only requests read by node:http can be forwarded.
    forwardRefused: (inbound, body) => (inbound instanceof PlainInboundRequest ? inbound.passToNode() : forwarder.forward(inbound as NodeInboundRequest, body)),
    reportFault,
  });
  return { limits, bytes, reportFault, policies, ingress };
}

function openListener({ limits, bytes, reportFault, ingress }: FollowerHttp, settings: Settings, state: ReplicatedState, forwarder: Forwarder): HttpListener {
  return createListener({
    limits,
    bytes,
    ingress: ownIngress(ingress, () => !state.paused),
    management: () => Promise.reject(new Error("the management API is served by the leader worker")),
    reportFault,
    fastPath: settings.httpFastPath,
    tryForward(inbound, path, isLate) {
      const target = readTarget(path);
      if (target.kind === "route") {
        if (isLate) return false;
        if (!state.paused && inbound.session === "" && ingress.serves(target.path, inbound.method)) return false;
      }
      forwarder.forward(inbound);
      return true;
    },
    mustStayOpen: () => forwarder.active > 0,
  });
}

/** Calls the leader, and retries while none is running. */
async function retryUntilLeaderResponds<T>(call: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + joinWithinMs; ;) {
    try {
      return await call();
    } catch (error) {
      if (!["exited", "unhandled"].includes((error as NodeJS.ErrnoException).code ?? "") || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
  }
}

/**
 * The ingress for requests that this worker serves itself: no requests of test sessions, and none while the leader serves everything.
 */
function ownIngress(ingress: Ingress, servesItself: () => boolean): Ingress {
  return {
    port: ingress.port,
    serveExact: (inbound, path) => inbound.session === "" && servesItself() && ingress.serveExact(inbound, path),
    serve: (inbound, path) => ingress.serve(inbound, path),
    serves: (path, method) => ingress.serves(path, method),
    hasRoute: (path, method) => ingress.hasRoute(path, method),
    get active() {
      return ingress.active;
    },
    whenIdle: (listener) => ingress.whenIdle(listener),
  };
}

/** Shutdown is announced by the leader, so only warnings and errors are logged here. */
function withoutInfo(log: Log): Log {
  return { ...log, write: (level, ...rest) => (level === "INFO" ? undefined : log.write(level, ...rest)) };
}
