import { f } from "@sluice/model";
import { expositionType } from "../metrics/exposition.ts";
import type { NodeMetrics } from "../metrics/metrics-text.ts";
import type { NodeQueries } from "../other-nodes/node-queries.ts";
import { defineEndpoint, type Endpoint } from "./endpoint.ts";

/** The `scope` of queries about one node or all of them. */
export const scopeField = f.enum(["node", "cluster"], {
  doc: "In a cluster: `node` for the node that responds, `cluster` for the sum of all nodes.",
  default: "node",
});

export function metricsEndpoints(metricsText: (others?: NodeMetrics) => Promise<string>, nodes: NodeQueries | undefined): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/metrics",
      tag: "health",
      summary: "Returns metrics of routes, queues, dead letters and the process for Prometheus",
      description: "In the Prometheus text format. In a cluster, `scope=cluster` returns the sum of all nodes.",
      query: { scope: scopeField },
      errors: [],
      replies: { 200: { description: "Metrics in the Prometheus text format.", mediaType: "text/plain" } },
      handle: async ({ query }) => ({
        status: 200,
        text: await metricsText(query.scope === "cluster" ? await nodes?.metrics() : undefined),
        headers: { "Content-Type": expositionType },
      }),
    }),
  ];
}
