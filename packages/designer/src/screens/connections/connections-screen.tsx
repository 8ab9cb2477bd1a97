import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { ConnectionTestFailure, ConnectionSummary, ConnectionTestSuccess } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { useCatalog, useCatalogLoader } from "../../catalog/use-catalog.ts";
import { ConnectionStateChip } from "../../connections/connection-state-chip.tsx";
import { useConnections } from "../../connections/use-connections.ts";
import { Button } from "../../controls/button.tsx";
import { EmptyState } from "../../controls/empty-state.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { Timestamp, formatTime } from "../../controls/timestamp.tsx";
import { SearchField } from "../../controls/search-field.tsx";
import { DataTable, hiddenHeading } from "../../controls/data-table.tsx";
import { strings } from "../../strings.ts";
import { connectionStrings as labels } from "../../strings/connections.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../shell-context.tsx";
import { pathOf } from "./connection-urls.ts";
import { FlowLinks } from "./flow-links.tsx";
import { NewConnectionDialog } from "./new-connection-dialog.tsx";
import { TestResult } from "./test-result.tsx";
import "./connections.css";

/** The connections of the target: type, state, users, and a test of each. */
export function ConnectionsScreen({ creating = false }: { readonly creating?: boolean }) {
  const target = useWorkspace((state) => state.target);
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [loaded, refresh] = useConnections();
  useTitle(strings.pageTitle(labels.title));
  useCatalogLoader();
  const connections = loaded !== undefined && "value" in loaded ? loaded.value : undefined;
  const searchText = text.trim().toLowerCase();
  const matches = connections?.filter(({ id, title, type }) => `${id} ${title ?? ""} ${type ?? ""}`.toLowerCase().includes(searchText)) ?? [];
  const create = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden="true" />} onClick={() => navigate("/connections/new")}>
      {labels.create}
    </Button>
  );
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        <span className="grow" />
        {connections?.length === 0 ? null : create}
      </div>
      {target === undefined ? null : <p className="muted">{labels.text(target)}</p>}
      {loaded !== undefined && "error" in loaded ? (
        <FailureBanner text={loaded.error}>
          <Button onClick={refresh}>{strings.common.retry}</Button>
        </FailureBanner>
      ) : null}
      {loaded === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {connections?.length === 0 ? (
        <EmptyState icon={<Plug size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText}>
          {create}
        </EmptyState>
      ) : null}
      {connections === undefined || connections.length === 0 ? null : (
        <>
          <div className="filters" role="search">
            <SearchField label={labels.search} hint={labels.searchHint} value={text} onChange={setText} />
          </div>
          {matches.length === 0 ? <p className="muted">{strings.common.nothingFound}</p> : <ConnectionTable connections={matches} target={target} />}
        </>
      )}
      {creating ? <NewConnectionDialog ids={connections?.map(({ id }) => id) ?? []} target={target} onClose={() => navigate("/connections")} /> : null}
    </div>
  );
}

interface TableProps {
  readonly connections: readonly ConnectionSummary[];
  readonly target: string | undefined;
}

function ConnectionTable({ connections, target }: TableProps) {
  const { columns } = labels;
  return (
    <DataTable
      label={labels.listLabel}
      headings={[columns.name, columns.type, columns.state, columns.usedBy, columns.changed, hiddenHeading(columns.action)]}
      stacks
    >
      {connections.map((connection) => (
        <ConnectionRow key={connection.id} connection={connection} target={target} />
      ))}
    </DataTable>
  );
}

function ConnectionRow({ connection, target }: { readonly connection: ConnectionSummary; readonly target: string | undefined }) {
  const { id, title, type, state, since, problem, error, flows, lastModified } = connection;
  const { columns } = labels;
  const types = useCatalog()?.view.connections;
  const [outcome, setOutcome] = useState<ConnectionTestSuccess | ConnectionTestFailure | undefined>(undefined);
  const [isTesting, setTesting] = useState(false);
  const test = async (): Promise<void> => {
    setTesting(true);
    const tested = runtimeAt(target).call("POST /connections/:id/test", { params: { id }, body: {} });
    setOutcome(await tested.catch((reason: Error): ConnectionTestFailure => ({ ok: false, error: reason.message, hint: "", ms: 0 })));
    setTesting(false);
  };
  const shownProblem = error ?? (state === "down" ? problem : null);
  return (
    <tr>
      <td>
        <Link href={pathOf(id)}>{title ?? id}</Link>
        {title === null ? null : <div className="mono muted">{id}</div>}
      </td>
      <td data-label={columns.type}>{types?.find((candidate) => candidate.type === type)?.title ?? type}</td>
      <td className="cell-text" data-label={columns.state}>
        <div className="connections__state">
          <ConnectionStateChip connection={connection} />
          {shownProblem === null ? null : (
            <span>
              {shownProblem}. {state === "down" ? labels.downSince(formatTime(since)) : null}
            </span>
          )}
          <TestResult outcome={outcome} isTesting={isTesting} />
        </div>
      </td>
      <td className="cell-text" data-label={columns.usedBy}>
        <FlowLinks flows={flows} />
      </td>
      <td data-label={columns.changed}>
        <Timestamp iso={lastModified} />
      </td>
      <td className="number">
        <Button aria-label={labels.testOne(id)} disabled={isTesting} onClick={() => void test()}>
          {labels.test}
        </Button>
      </td>
    </tr>
  );
}
