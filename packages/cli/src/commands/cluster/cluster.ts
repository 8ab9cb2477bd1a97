import type { CommandDeclaration } from "../../command/declaration.ts";

const maxNodes = 9;

export const cluster: CommandDeclaration = {
  name: "cluster",
  summary: "Start a cluster on this machine, for evaluation.",
  details:
    "Starts the nodes and a load balancer in front of them, all on 127.0.0.1. Without --store, also starts three NATS servers, using the `nats-server` in PATH. A process that is killed is restarted. Ctrl-C stops everything; the data is kept. `sluice nodes` lists the nodes.",
  flags: [
    { name: "nodes", value: "count", default: "3", number: { min: 1, max: maxNodes }, doc: "Number of nodes, from 1 to 9." },
    {
      name: "port",
      value: "port",
      default: "8080",
      number: { min: 0, max: 65_535 - maxNodes },
      doc: "Port of the load balancer; the nodes use the next ones. With 0, all use free ports.",
    },
    { name: "data-dir", value: "folder", default: "./sluice-cluster", doc: "Folder for the data of the store and the nodes, and for the deploy token." },
    {
      name: "log-format",
      values: ["auto", "text", "json"],
      doc: "Format of the nodes' log: text in a terminal, JSON otherwise (SERVICE_LOG_FORMAT, default auto).",
    },
    {
      name: "store",
      value: "url",
      doc: "A store that is already running, instead of three NATS servers: nats://host:4222/name or postgres://host/database?cluster=name (default: SERVICE_CLUSTER).",
    },
  ],
  variables: {
    SERVICE_CLUSTER: "the address of a store that is already running",
    SERVICE_CLUSTER_TTL: "time without a heartbeat after which a node is considered dead (default 15 s)",
    SERVICE_DEPLOY_TOKEN: "deploy token of the nodes (default: generated)",
  },
  examples: [{ doc: "Start three nodes and three NATS servers", command: "sluice cluster --port 0", until: "Load balancer ", needs: "nats-server" }],
  exits: { 0: "stopped", 1: "could not start", 2: "invalid command line" },
  load: () => import("./run-cluster.ts"),
};
