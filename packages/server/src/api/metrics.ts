import { expositionType } from "../metrics/exposition.ts";
import { defineEndpoint, type Endpoint } from "./endpoint.ts";

export function metricsEndpoints(metricsText: () => Promise<string>): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/metrics",
      tag: "health",
      summary: "Returns metrics of routes, queues, dead letters and the process for Prometheus",
      replies: { 200: { description: "Metrics in the Prometheus text format.", mediaType: "text/plain" } },
      handle: async () => ({ status: 200, text: await metricsText(), headers: { "Content-Type": expositionType } }),
    }),
  ];
}
