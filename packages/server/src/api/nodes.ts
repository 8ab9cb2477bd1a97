// The nodes of a cluster.
import { z } from "zod";
import type { ClusterReport, ClusterView } from "../other-nodes/cluster-view.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";

const nodeShape = shape(
  () => ({
    node: z.string(),
    boot: z.string().describe("Id of the process."),
    version: z.string(),
    startedAt: z.string(),
    ready: z.boolean(),
    applied: z.int().describe("The last configuration revision that it has applied."),
    slots: z.array(z.int()).describe("Slots whose schedules and polls this node runs."),
    behind: z.array(z.looseObject({ id: z.string(), reason: z.string() })).describe("Records that it could not apply."),
  }),
  "ClusterNode",
);

export const clusterShape = shape(
  () => ({
    name: z.string(),
    store: z.enum(["nats", "postgres"]),
    node: z.string().describe("The node that sent this response."),
    connectivity: z.enum(["connected", "disconnected"]),
    revision: z.int().describe("The newest configuration revision that this node has read."),
    applied: z.int(),
    nodes: z.array(nodeShape()),
  }),
  "ClusterHealth",
);

export const changeShape = shape(
  () => ({
    revision: z.int(),
    nodes: z.int().describe("Live nodes."),
    running: z.int().describe("Live nodes that have applied the change."),
    behind: z.array(z.looseObject({ node: z.string(), reason: z.string() })),
  }),
  "ClusterChange",
);

export function nodeEndpoints(cluster: ClusterView | undefined): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/nodes",
      tag: "health",
      summary: "Lists the live nodes of the cluster, as seen by this node",
      description:
        "The list is empty without a cluster. Each node shows the configuration revision that it has applied and the records that it could not apply.",
      errors: [],
      replies: { 200: { description: "The nodes by name.", schema: shape(() => ({ nodes: z.array(nodeShape()), total: z.int() })) } },
      handle() {
        const nodes = cluster === undefined ? [] : clusterJson(cluster.report()).nodes;
        return ok({ nodes, total: nodes.length });
      },
    }),
  ];
}

export const clusterJson = ({ nodes, ...cluster }: ClusterReport) => ({
  ...cluster,
  nodes: nodes.map(({ isReady, ...node }) => ({ ...node, ready: isReady })),
});
