import type { Route } from "@sluice/engine";
import { openPolicies } from "../access/open-policies.ts";
import type { Policies } from "../access/policies.ts";
import { createWebhookMounts, type WebhookMounts } from "../flows/webhook-mounts.ts";
import { httpLimits } from "../http-settings.ts";
import { createHttpBytes, type HttpBytes } from "../http/http-bytes.ts";
import { createIngress, type Ingress } from "../http/ingress.ts";
import type { HttpLimits } from "../http/limits.ts";
import { createListener, type HttpListener } from "../http/listener.ts";
import type { ManagementHandler } from "../http/management.ts";
import { sessionsOnly } from "../trial/sessions-only.ts";
import type { LateParts } from "./late-parts.ts";
import type { ServerProcess } from "./open-process.ts";

/** The parts between the listener and the routes. */
export interface HttpParts {
  readonly limits: HttpLimits;
  readonly bytes: HttpBytes;
  readonly policies: Policies;
  readonly ingress: Ingress;
  readonly mounts: WebhookMounts;
  reportFault(fault: unknown, reference: string): void;
}

/** True for a webhook route that does not accept requests now; routes with other triggers have no webhook. */
function isStoppedWebhook(route: Route | undefined): boolean {
  return route !== undefined && route.status !== "Started" && route.trigger === "request";
}

/** Creates access policies and ingress, without listening. */
export async function openHttp(
  { settings, variant, dataDir, environment, secrets, log, clock, cluster }: ServerProcess,
  lateParts: LateParts,
): Promise<HttpParts> {
  const { leaderPort, isTrial } = variant;
  const limits = httpLimits(settings);
  const bytes = createHttpBytes(limits.maxBodyBytesHeld);
  const reportFault = (fault: unknown, reference: string): void =>
    log.write("ERROR", "sluice.http", `Internal error (ref ${reference})`, undefined, { error: fault });
  const policies = await openPolicies({
    settings,
    dataDir,
    environment,
    secrets,
    log,
    clock,
    store: cluster?.stores.policies,
    ...(cluster === undefined ? {} : { signaturesOf: (flowId: string) => cluster.signaturesOf(flowId) }),
    isInstalled: (flowId) => lateParts.flows.current.installed.has(flowId),
    ...(leaderPort === undefined
      ? {}
      : { sourceBlocked: (source: string) => leaderPort.sourceBlocked(source), fetchText: (uri: string) => leaderPort.fetchText(uri) }),
  });
  const ingress = createIngress({
    limits,
    bytes,
    accessOf: isTrial === true ? sessionsOnly((id) => lateParts.sessions.current.isOpen(id)) : policies.accessOf,
    // A request of a session on another node is forwarded there if the session mocks its flow.
    sessionOf: (id) => lateParts.sessions.current.tagOf(id) ?? cluster?.remoteSession(id),
    isStopped: (routeId) => isStoppedWebhook(lateParts.runtime.current.routes.get(routeId)),
    reportFault,
  });
  return { limits, bytes, policies, ingress, mounts: createWebhookMounts(cluster?.handOver(ingress.port) ?? ingress.port), reportFault };
}

/** Creates the listener for webhooks and management API, without opening a port. */
export function openListener(
  { settings, variant: { leaderPort } }: ServerProcess,
  { limits, bytes, ingress, reportFault }: HttpParts,
  management: ManagementHandler,
): HttpListener {
  return createListener({
    limits,
    bytes,
    ingress,
    management,
    reportFault,
    fastPath: settings.httpFastPath,
    ...(leaderPort === undefined ? {} : { mustStayOpen: () => leaderPort.isNeeded() }),
  });
}
