// The check of the cluster that the runtime belongs to: whether it reaches the store, and whether the nodes agree.
import type { ClusterHealth, ClusterNode, Health } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";
import type { Finding } from "./checks.ts";

const check = "cluster";
const storeNames = { nats: "NATS", postgres: "PostgreSQL" } as const;

/** Empty without a cluster, and when the health report cannot be read, which other checks report. */
export async function checkCluster(connection: Connection): Promise<readonly Finding[]> {
  try {
    const { cluster } = (await connection.call("GET /health")) as Partial<Health>;
    return cluster === undefined ? [] : clusterFindings(cluster);
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}

export function clusterFindings({ name, store, node, connectivity, revision, nodes }: ClusterHealth): readonly Finding[] {
  if (connectivity === "disconnected")
    return [
      {
        check,
        state: "problem",
        text: `node '${node}' cannot reach the store of cluster '${name}'`,
        fix: "check that the store in SERVICE_CLUSTER is running and can be reached from the machine of the node",
      },
    ];
  const versions = new Set(nodes.map(({ version }) => version));
  return [
    { check, state: "ok", text: `cluster '${name}' (${storeNames[store]}), revision ${revision}, nodes: ${nodes.map((each) => each.node).join(", ")}` },
    ...nodes.flatMap(nodeFindings),
    ...(versions.size < 2
      ? []
      : [
          {
            check,
            state: "warning",
            text: `the nodes run different versions: ${nodes.map((each) => `${each.node} ${each.version}`).join(", ")}`,
            fix: "upgrade the older nodes",
          } as const,
        ]),
  ];
}

function nodeFindings({ node, ready, behind }: ClusterNode): readonly Finding[] {
  const findings = behind.map(({ id, reason }): Finding => ({
    check,
    state: "warning",
    text: `node '${node}' could not apply '${id}': ${reason}`,
    fix: "fix the cause on that node; it tries again every 30 s",
  }));
  if (ready) return findings;
  return [...findings, { check, state: "warning", text: `node '${node}' is not ready`, fix: "if it is not starting or stopping, see its log" }];
}
