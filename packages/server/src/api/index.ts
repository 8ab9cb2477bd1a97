// All endpoints of the management API, in the order of the OpenAPI document.
import type { ServerCatalog } from "../catalog.ts";
import type { CatalogView } from "@sluice/model";
import { z } from "zod";
import type { Policies } from "../access/policies.ts";
import type { FlowViews } from "../flows/flow-views.ts";
import type { WebhookMounts } from "../flows/webhook-mounts.ts";
import type { InstalledKamelets } from "../kamelets/installed-kamelets.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { DiskRuns } from "../run-store/open-run-store.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { InvokeParts } from "../sessions/invoke-route.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { StreamOpener } from "../streams/open-stream.ts";
import type { ClusterView } from "../other-nodes/cluster-view.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import type { BreakpointSessions } from "../breakpoints/breakpoint-sessions.ts";
import { accessEndpoints } from "./access.ts";
import { breakpointEndpoints } from "./breakpoints.ts";
import { catalogEndpoints } from "./catalog.ts";
import { connectionEndpoints, type ConnectionsApiParts } from "./connections.ts";
import { deadLetterEndpoints, type DeadLetterParts } from "./dead-letters.ts";
import { describeWebhooks } from "./describe-webhooks.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { flowEndpoints } from "./flows.ts";
import { flowVersionEndpoints } from "./flow-versions.ts";
import { healthEndpoints, type HealthParts } from "./health.ts";
import { anyMap } from "./message-shapes.ts";
import { kameletEndpoints } from "./kamelets.ts";
import { messageMappingEndpoints } from "./message-mappings.ts";
import type { NodeMetrics } from "../metrics/metrics-text.ts";
import { metricsEndpoints } from "./metrics.ts";
import { nodeEndpoints } from "./nodes.ts";
import { openApiDocument } from "./openapi.ts";
import type { RunReplayParts } from "../replay/replay-run.ts";
import { replayEndpoints, replayDetails } from "./replay.ts";
import { routeEndpoints } from "./routes.ts";
import { runEndpoints, type RunParts } from "./runs.ts";
import { streamEndpoints } from "./streams.ts";
import { testEndpoints } from "./test-sessions.ts";
import { valueMappingEndpoints } from "./value-mappings.ts";

export interface ApiParts {
  /** The other workers; undefined for a single process. */
  readonly service: ServiceView | undefined;
  /** Undefined without a cluster. */
  readonly cluster: ClusterView | undefined;
  readonly health: HealthParts;
  metricsText(others?: NodeMetrics): Promise<string>;
  readonly flows: FlowViews;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly connections: ConnectionsApiParts;
  readonly kamelets: InstalledKamelets;
  readonly history: RunHistory;
  readonly disk: DiskRuns | undefined;
  readonly secrets: SecretValues;
  readonly streams: { readonly opener: StreamOpener; readonly trace: EventHub; readonly log: EventHub };
  readonly sessions: TestSessions;
  readonly invoke: InvokeParts;
  readonly breakpoints: BreakpointSessions;
  readonly deadLetters: DeadLetterParts;
  readonly replay: RunReplayParts;
  readonly mounts: WebhookMounts;
  readonly catalog: ServerCatalog;
  readonly plugins: CatalogView["plugins"];
}

export const runParts = (parts: ApiParts): RunParts => ({
  ...parts,
  nodes: parts.cluster?.queries,
  replayDetails: (runId) => replayDetails(parts.replay, runId),
});

export function apiEndpoints(parts: ApiParts): readonly Endpoint[] {
  const { runtime } = parts.flows.parts;
  const endpoints: Endpoint[] = [
    ...healthEndpoints(parts.health, parts.service, parts.cluster?.queries),
    ...nodeEndpoints(parts.cluster),
    ...metricsEndpoints((others) => parts.metricsText(others), parts.cluster?.queries),
    ...flowEndpoints(parts.flows, parts.service),
    ...flowVersionEndpoints(parts.flows),
    ...accessEndpoints(parts.policies),
    ...connectionEndpoints(parts.connections),
    ...kameletEndpoints(parts.kamelets),
    ...valueMappingEndpoints(parts.mappings),
    ...messageMappingEndpoints(parts.mappings, parts.invoke.clock),
    ...routeEndpoints(parts.flows.parts),
    ...deadLetterEndpoints(parts.deadLetters, parts.secrets),
    ...runEndpoints(runParts(parts)),
    ...replayEndpoints(parts.replay, parts.service),
    ...streamEndpoints(parts.streams.opener, parts.streams, parts.service, parts.cluster?.queries),
    ...testEndpoints(parts.sessions, parts.invoke, parts.cluster),
    ...breakpointEndpoints(parts.breakpoints, parts.cluster),
    ...catalogEndpoints(parts.catalog, parts.plugins, parts.kamelets),
  ];
  endpoints.push(
    defineEndpoint({
      method: "GET",
      path: "/openapi.json",
      tag: "api",
      summary: "Returns this document",
      description: "OpenAPI 3.1, with every operation of the API and the deployed webhooks.",
      errors: [],
      replies: { 200: { description: "OpenAPI 3.1.", schema: shape(() => ({ openapi: z.string(), paths: anyMap() })) } },
      handle: () =>
        ok(
          openApiDocument({
            version: parts.health.engineVersion,
            endpoints,
            webhooks: describeWebhooks({ mounts: parts.mounts, runtime, policies: parts.policies, documents: parts.mappings.documents }),
          }),
        ),
    }),
  );
  return endpoints;
}
