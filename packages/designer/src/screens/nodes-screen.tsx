import { Network } from "lucide-react";
import type { ClusterHealth, ClusterNode } from "@sluice/client";
import { Chip } from "../controls/chip.tsx";
import { DataTable, numericHeading } from "../controls/data-table.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { Timestamp } from "../controls/timestamp.tsx";
import { strings } from "../strings.ts";
import { nodesStrings as labels } from "../strings/nodes.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useTitle } from "./shell-context.tsx";

const tones = { up: "ok", starting: "idle", behind: "fail" } as const;

/** The nodes of the cluster that the target belongs to, as reported by the node that replied. */
export function NodesScreen() {
  const target = useWorkspace((state) => state.target);
  const runtime = useWorkspace((state) => state.runtime);
  useTitle(strings.pageTitle(labels.title));
  const cluster = runtime.health?.cluster;
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
      </div>
      {runtime.reachable === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {runtime.reachable === false ? <FailureBanner text={runtime.error ?? ""} /> : null}
      {runtime.reachable === true && cluster === undefined ? (
        <EmptyState icon={<Network size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText(target ?? "")} />
      ) : null}
      {cluster === undefined ? null : <Cluster cluster={cluster} />}
    </div>
  );
}

function Cluster({ cluster }: { readonly cluster: ClusterHealth }) {
  const { name, store, node, connectivity, revision, nodes } = cluster;
  const current = nodes.filter(({ applied, behind }) => applied >= revision && behind.length === 0).length;
  return (
    <>
      <p className="muted">
        {labels.text(name, labels.stores[store])} {labels.progress(current, nodes.length, revision)}
      </p>
      {connectivity === "disconnected" ? <FailureBanner text={labels.disconnected(node)} /> : null}
      <NodeTable nodes={nodes} replyingNode={node} />
      <p className="muted">{labels.slotsHint}</p>
    </>
  );
}

function NodeTable({ nodes, replyingNode }: { readonly nodes: readonly ClusterNode[]; readonly replyingNode: string }) {
  const { columns } = labels;
  return (
    <DataTable
      label={labels.listLabel}
      headings={[columns.node, columns.state, columns.version, columns.since, numericHeading(columns.revision), numericHeading(columns.slots)]}
      stacks
    >
      {nodes.map((node) => (
        <tr key={node.node}>
          <td>
            {node.node}
            {node.node === replyingNode ? <div className="muted">{labels.replying}</div> : null}
          </td>
          <td className="cell-text" data-label={columns.state}>
            <NodeState node={node} />
          </td>
          <td data-label={columns.version}>{node.version}</td>
          <td data-label={columns.since}>
            <Timestamp iso={node.startedAt} />
          </td>
          <td className="number" data-label={columns.revision}>
            {node.applied}
          </td>
          <td className="number" data-label={columns.slots}>
            {node.slots.length}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** A node is behind when it could not apply a change, even if it is ready otherwise. */
function NodeState({ node: { ready, behind } }: { readonly node: ClusterNode }) {
  const state = behind.length > 0 ? "behind" : ready ? "up" : "starting";
  return (
    <div>
      <Chip tone={tones[state]}>{labels.states[state]}</Chip>
      {behind.map(({ id, reason }) => (
        <div key={id}>{labels.problem(id, reason)}</div>
      ))}
    </div>
  );
}
