import { LockOpen, ShieldAlert, ShieldCheck } from "lucide-react";
import { useCallback, useEffect } from "react";
import { Link } from "wouter";
import type { FlowSummary, PolicySummary } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import type { SchemeType } from "../../access/policy-edits.ts";
import { EmptyState } from "../../controls/empty-state.tsx";
import { Timestamp } from "../../controls/timestamp.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { DataTable, numericHeading } from "../../controls/data-table.tsx";
import { strings } from "../../strings.ts";
import { accessStrings as labels } from "../../strings/access.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../shell-context.tsx";
import { usePolled } from "../../api-client/use-polled.ts";
import "./access.css";

interface Row {
  readonly flowId: string;
  readonly name: string;
  readonly isDeployed: boolean;
  readonly policy: PolicySummary | undefined;
}

/** The flows that have an access policy or may serve webhooks. */
export function AccessScreen() {
  const { target, flows, runtime, loadFlows } = useWorkspace();
  useTitle(strings.pageTitle(labels.title));
  useEffect(() => void loadFlows(), [loadFlows]);
  const load = useCallback(() => loadAccess(target), [target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  const { policies, webhookRoutes } = loaded !== undefined && "value" in loaded ? loaded.value : {};
  const names = new Map((flows ?? []).map(({ id, name }) => [id, name]));
  const ids = new Set([...names.keys(), ...runtime.flows.keys(), ...(policies ?? []).map(({ flowId }) => flowId)]);
  const rows = [...ids]
    .toSorted()
    .map((flowId): Row => ({
      flowId,
      name: names.get(flowId) ?? flowId,
      isDeployed: runtime.flows.has(flowId),
      policy: policies?.find((policy) => policy.flowId === flowId),
    }))
    .filter(({ flowId, policy }) => policy !== undefined || mayServeWebhooks(runtime.flows.get(flowId), webhookRoutes));
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

interface LoadedAccess {
  readonly policies: readonly PolicySummary[];
  /** The ids of the routes that serve webhooks now; undefined when the runtime does not describe them. */
  readonly webhookRoutes: ReadonlySet<string> | undefined;
}

async function loadAccess(target: string | undefined): Promise<LoadedAccess> {
  const runtime = runtimeAt(target);
  const [{ policies }, description] = await Promise.all([runtime.call("GET /auth"), runtime.call("GET /openapi.json").catch(() => undefined)]);
  if (description === undefined) return { policies, webhookRoutes: undefined };
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path as Readonly<Record<string, unknown>>));
  const routeIds = operations.map((operation) => (operation as { readonly "x-route-id"?: string })["x-route-id"]);
  return { policies, webhookRoutes: new Set(routeIds.filter((id) => id !== undefined)) };
}

/** False only if it is certain that the deployed version serves no webhook: a route that is not started is not described, but may have one. */
const mayServeWebhooks = (flow: FlowSummary | undefined, webhookRoutes: ReadonlySet<string> | undefined): boolean =>
  flow === undefined || webhookRoutes === undefined || flow.routes.some(({ id, status }) => status !== "Started" || webhookRoutes.has(id));

function PolicyTable({ rows }: { readonly rows: readonly Row[] }) {
  const { columns } = labels;
  return (
    <DataTable label={labels.listLabel} headings={[columns.flow, columns.access, numericHeading(columns.rules), columns.default, columns.changed]} stacks>
      {rows.map((row) => (
        <tr key={row.flowId}>
          <td>
            <Link href={`/flows/${row.flowId}/access`}>{row.name}</Link>
            {row.name === row.flowId ? null : <div className="mono muted">{row.flowId}</div>}
            {row.isDeployed ? null : <div className="muted">{labels.notDeployed}</div>}
          </td>
          <td data-label={columns.access}>{row.policy === undefined ? <NoPolicy {...row} /> : <PolicyChips policy={row.policy} />}</td>
          <td className="number" data-label={columns.rules}>
            {row.policy?.ruleCount}
          </td>
          <td data-label={columns.default}>{row.policy?.default == null ? null : labels.defaults[row.policy.default]}</td>
          <td data-label={columns.changed}>{row.policy?.lastModified == null ? null : <Timestamp iso={row.policy.lastModified} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function NoPolicy({ isDeployed }: Row) {
  if (!isDeployed) return <span className="muted">{labels.noPolicy}</span>;
  return (
    <span className="access__open">
      <LockOpen size={14} aria-hidden="true" />
      {labels.open}
    </span>
  );
}

function PolicyChips({ policy }: { readonly policy: PolicySummary }) {
  if (policy.error !== null)
    return (
      <span className="chip chip--fail" title={policy.error}>
        <ShieldAlert size={14} aria-hidden="true" />
        {labels.unreadable}
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
