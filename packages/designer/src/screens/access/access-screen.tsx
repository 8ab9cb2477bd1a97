import { LockOpen, ShieldAlert, ShieldCheck } from "lucide-react";
import { useCallback, useEffect } from "react";
import { Link } from "wouter";
import type { PolicySummary } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import type { SchemeType } from "../../access/policy-edits.ts";
import { EmptyState } from "../../controls/empty-state.tsx";
import { Moment } from "../../controls/moment.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { DataTable, numericHead } from "../../controls/data-table.tsx";
import { strings } from "../../strings.ts";
import { accessStrings as labels } from "../../strings/access.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../page-context.tsx";
import { usePolled } from "../../api-client/use-polled.ts";
import "./access.css";

interface Row {
  readonly flowId: string;
  readonly name: string;
  readonly isDeployed: boolean;
  readonly policy: PolicySummary | undefined;
}

/** All flows with their access policies. */
export function AccessScreen() {
  const { target, flows, runtime, loadFlows } = useWorkspace();
  useTitle(strings.pageTitle(labels.title));
  useEffect(() => void loadFlows(), [loadFlows]);
  const load = useCallback(() => runtimeAt(target).call("GET /auth"), [target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  const policies = loaded !== undefined && "value" in loaded ? loaded.value.policies : undefined;
  const names = new Map((flows ?? []).map(({ id, name }) => [id, name]));
  const ids = new Set([...names.keys(), ...runtime.flows.keys(), ...(policies ?? []).map(({ flowId }) => flowId)]);
  const rows = [...ids].toSorted().map((flowId): Row => ({
    flowId,
    name: names.get(flowId) ?? flowId,
    isDeployed: runtime.flows.has(flowId),
    policy: policies?.find((policy) => policy.flowId === flowId),
  }));
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
      </div>
      <p className="muted">{labels.text}</p>
      {loaded !== undefined && "error" in loaded ? <FailureBanner text={loaded.error} /> : null}
      {policies === undefined ? null : rows.length === 0 ? (
        <EmptyState icon={<ShieldCheck size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText} />
      ) : (
        <PolicyTable rows={rows} />
      )}
    </div>
  );
}

function PolicyTable({ rows }: { readonly rows: readonly Row[] }) {
  const { columns } = labels;
  return (
    <DataTable label={labels.listLabel} heads={[columns.flow, columns.access, numericHead(columns.rules), columns.default, columns.changed]} stacks>
      {rows.map(({ flowId, name, isDeployed, policy }) => (
        <tr key={flowId}>
          <td>
            <Link href={`/flows/${flowId}/access`}>{name}</Link>
            {name === flowId ? null : <div className="mono muted">{flowId}</div>}
            {isDeployed ? null : <div className="muted">{labels.notDeployed}</div>}
          </td>
          <td data-label={columns.access}>
            <PolicyChips policy={policy} />
          </td>
          <td className="number" data-label={columns.rules}>
            {policy?.ruleCount}
          </td>
          <td data-label={columns.default}>{policy?.default == null ? null : labels.defaults[policy.default]}</td>
          <td data-label={columns.changed}>{policy?.lastModified == null ? null : <Moment iso={policy.lastModified} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function PolicyChips({ policy }: { readonly policy: PolicySummary | undefined }) {
  if (policy === undefined)
    return (
      <span className="access__open">
        <LockOpen size={14} aria-hidden="true" />
        {labels.open}
      </span>
    );
  if (policy.error !== null)
    return (
      <span className="chip chip--fail" title={policy.error}>
        <ShieldAlert size={14} aria-hidden="true" />
        {labels.broken}
      </span>
    );
  const schemes = [...new Set(policy.schemes)];
  return (
    <span className="access__chips">
      {schemes.length === 0 ? <span className="chip">{labels.noScheme}</span> : null}
      {schemes.map((scheme) => (
        <span key={scheme} className="chip chip--ok">
          <ShieldCheck size={14} aria-hidden="true" />
          {labels.schemes[scheme as SchemeType] ?? scheme}
        </span>
      ))}
    </span>
  );
}
