import { count } from "./count.ts";

// Text of the nodes screen.
export const nodesStrings = {
  title: "Nodes",
  text: (cluster: string, store: string) => `Cluster ${cluster}. Its configuration is stored in ${store}.`,
  stores: { nats: "NATS", postgres: "PostgreSQL" },
  progress: (current: number, nodes: number, revision: number) => `${current} of ${count(nodes, "node", "nodes")} run revision ${revision}.`,
  disconnected: (node: string) =>
    `Node ${node} cannot reach the store. It continues with the last configuration; changes are rejected and schedules stop until the store is reachable.`,
  listLabel: "Nodes",
  columns: { node: "Node", state: "State", version: "Version", since: "Up since", revision: "Revision", slots: "Slots" },
  states: { up: "Up", starting: "Not ready", behind: "Behind" },
  slotsHint: "A node runs the schedules and polls of the flows in its slots.",
  replying: "Queried by this page",
  problem: (id: string, reason: string) => `${id}: ${reason}`,
  emptyTitle: "No cluster",
  emptyText: (target: string) => `The runtime ${target} is not part of a cluster. To try several nodes on one machine, run: sluice cluster`,
};
