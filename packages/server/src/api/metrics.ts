import { expositionType } from "../metrics/exposition.ts";
import { defineEndpoint, type Endpoint } from "./endpoint.ts";

export function metricsEndpoints(metricsText: () => Promise<string>): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/metrics",
      tag: "health",
      summary: "Figures of routes, queues, dead letters and the process, for Prometheus",
      replies: { 200: { description: "The text format of Prometheus.", mediaType: "text/plain" } },
      handle: async () => ({ status: 200, text: await metricsText(), headers: { "Content-Type": expositionType } }),
    }),
  ];
}
