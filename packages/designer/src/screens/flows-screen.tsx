import { FilePlus2, Upload, Workflow } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { FlowSummary } from "@sluice/client";
import { outlineOf, readTree, slug } from "@sluice/model";
import type { Category, FlowEntry } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { Timestamp, formatTime } from "../controls/timestamp.tsx";
import { StateChip } from "../controls/state-chip.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { DataTable, hiddenHeading, numericHeading } from "../controls/data-table.tsx";
import { drafts } from "../document/drafts.ts";
import { deriveState, type DerivedState, type FlowState } from "../document/flow-state.ts";
import { strings } from "../strings.ts";
import { deployedFlow, useWorkspace } from "../workspace/workspace-store.ts";
import type { Notice } from "../document/editor.ts";
import { NewFlowDialog } from "./new-flow-dialog.tsx";
import { FlowMenu } from "./flow-menu.tsx";
import { useTitle } from "./shell-context.tsx";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly category: string | null;
  readonly derived: DerivedState;
  readonly routes: number;
  /** Undefined until the runtime has reported them. */
  readonly runs: RunCounts | undefined;
  readonly lastModified: string | undefined;
  readonly mark: string | undefined;
  /** Deployed, but its routes were stopped. */
  readonly isStopped: boolean;
}

interface RunCounts {
  readonly total: number;
  readonly failed: number;
  readonly lastRunAt: string | null;
}

const states: readonly FlowState[] = ["Draft", "Deployed", "Changed", "Failed"];

export function FlowsScreen({ creating = false }: { readonly creating?: boolean }) {
  const [, navigate] = useLocation();
  const { flows, flowsError, categoryFile } = useWorkspace();
  const [query, setQuery] = useState("");
  const [category, setCategory] = useState("");
  const [state, setState] = useState("");
  const [notice, setNotice] = useState<Notice | undefined>(undefined);
  const rows = useRows();
  useTitle(strings.pageTitle(strings.flows.title));
  useEffect(() => void useWorkspace.getState().loadFlows(), []);
  const categories = categoryFile?.categories ?? [];
  const visibleRows = rows.filter((row) => matches(row, query, category, state));
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{strings.flows.title}</h1>
        <span className="grow" />
        <ImportButton isTaken={(id) => rows.some((row) => row.id === id)} />
        <Button variant="primary" icon={<FilePlus2 size={16} aria-hidden="true" />} onClick={() => navigate("/flows/new")}>
          {strings.flows.newFlow}
        </Button>
      </div>
      {flowsError === undefined ? null : (
        <FailureBanner text={flowsError}>
          <Button onClick={() => void useWorkspace.getState().loadFlows()}>{strings.common.retry}</Button>
        </FailureBanner>
      )}
      <p className={notice?.kind === "info" ? "muted" : "visually-hidden"} aria-live="polite">
        {notice?.kind === "info" ? notice.text : ""}
      </p>
      {notice?.kind === "error" ? <FailureBanner text={notice.text} /> : null}
      {flows !== undefined && rows.length === 0 ? (
        <EmptyState icon={<Workflow size={40} aria-hidden="true" />} title={strings.flows.emptyTitle} text={strings.flows.emptyText}>
          <ol>
            {strings.flows.emptySteps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </EmptyState>
      ) : (
        <>
          <div className="filters" role="search">
            <SearchField label={strings.flows.searchLabel} hint={strings.flows.searchHint} value={query} onChange={setQuery} />
            <Field label={strings.flows.category}>
              {(control) => (
                <select {...control} className="input" value={category} onChange={(event) => setCategory(event.target.value)}>
                  <option value="">{strings.common.all}</option>
                  {categories.map(({ id, label }) => (
                    <option key={id} value={id}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label={strings.flows.state}>
              {(control) => (
                <select {...control} className="input" value={state} onChange={(event) => setState(event.target.value)}>
                  <option value="">{strings.common.all}</option>
                  {states.map((name) => (
                    <option key={name} value={name}>
                      {strings.states[name]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <RunCountsTime />
          <FlowTable rows={visibleRows} categories={categories} onNotice={setNotice} />
        </>
      )}
      {creating ? <NewFlowDialog isTaken={(id) => rows.some((row) => row.id === id)} onClose={() => navigate("/flows")} /> : null}
    </div>
  );
}

interface FlowTableProps {
  readonly rows: readonly Row[];
  readonly categories: readonly Category[];
  readonly onNotice: (notice: Notice) => void;
}

function FlowTable({ rows, categories, onNotice }: FlowTableProps) {
  const { columns } = strings.flows;
  if (rows.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  return (
    <DataTable
      label={strings.flows.title}
      headings={[
        columns.name,
        columns.category,
        columns.state,
        numericHeading(columns.routes),
        numericHeading(columns.runs),
        columns.lastRun,
        columns.changed,
        hiddenHeading(columns.actions),
      ]}
      stacks
    >
      {rows.map((row) => (
        <tr key={row.id}>
          <td>
            <Link href={`/flows/${row.id}`}>{row.name}</Link>
            <div className="mono muted">
              {row.id}
              {row.mark === undefined ? null : ` · ${row.mark}`}
            </div>
          </td>
          <td data-label={columns.category}>
            <CategoryLabel id={row.category} categories={categories} />
          </td>
          <td data-label={columns.state}>
            <StateChip {...row.derived} />
            {row.isStopped ? <span className="chip chip--warn">{strings.flows.stopped}</span> : null}
          </td>
          <td className="number" data-label={columns.routes}>
            {row.routes}
          </td>
          <td className="number" data-label={columns.runs}>
            {row.runs === undefined ? <Unknown /> : strings.flows.runs(row.runs.total, row.runs.failed)}
          </td>
          <td data-label={columns.lastRun}>
            {row.runs === undefined ? (
              <Unknown />
            ) : row.runs.lastRunAt === null ? (
              <span className="muted">{strings.common.never}</span>
            ) : (
              <Timestamp iso={row.runs.lastRunAt} />
            )}
          </td>
          <td data-label={columns.changed}>{row.lastModified === undefined ? null : <Timestamp iso={row.lastModified} />}</td>
          <td>
            <FlowMenu id={row.id} name={row.name} onNotice={onNotice} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

const Unknown = () => (
  <span className="muted" title={strings.flows.unknownRuns}>
    –<span className="visually-hidden"> {strings.flows.unknownRuns}</span>
  </span>
);

/** When the run counts were received, if the runtime has stopped responding since. */
function RunCountsTime() {
  const { reachable, lastHealth } = useWorkspace((state) => state.runtime);
  return reachable !== false || lastHealth === undefined ? null : <p className="muted">{strings.flows.asOf(formatTime(lastHealth.at))}</p>;
}

export function CategoryLabel({ id, categories }: { readonly id: string | null; readonly categories: readonly Category[] }) {
  if (id === null) return <span className="muted">{strings.states.noCategory}</span>;
  const found = categories.find((category) => category.id === id);
  return <>{found?.label ?? strings.states.removedCategory(id)}</>;
}

function useRows(): readonly Row[] {
  const { flows, runtime, target } = useWorkspace();
  return useMemo(() => {
    const routes = runtime.lastHealth?.health.routes;
    const saved = (flows ?? []).map((flow) => {
      const running = deployedFlow(runtime, flow.id);
      const derived = deriveState({ savedHash: flow.hash, record: flow.deploys[target ?? ""], running });
      return { ...rowOf(flow, derived, routes), isStopped: running?.status === "Stopped" };
    });
    const savedIds = new Set(saved.map(({ id }) => id));
    const unsaved = drafts.unsavedIds().filter((id) => !savedIds.has(id));
    const deployedOnly = flows === undefined ? [] : [...runtime.flows.values()].filter(({ id }) => !savedIds.has(id) && !unsaved.includes(id));
    return [...saved, ...unsaved.map((id) => draftRow(id, runtime.flows.get(id))), ...deployedOnly.map((flow) => deployedRow(flow, target ?? "", routes))];
  }, [flows, runtime, target]);
}

type RouteRuns = readonly { flowId: string; total: number; failed: number; lastRunAt: string | null }[] | undefined;

function runsOf(id: string, routes: RouteRuns): RunCounts | undefined {
  if (routes === undefined) return undefined;
  const flowRoutes = routes.filter(({ flowId }) => flowId === id);
  const last = flowRoutes
    .flatMap(({ lastRunAt }) => lastRunAt ?? [])
    .sort()
    .at(-1);
  return {
    total: flowRoutes.reduce((sum, { total }) => sum + total, 0),
    failed: flowRoutes.reduce((sum, { failed }) => sum + failed, 0),
    lastRunAt: last ?? null,
  };
}

/** A flow that was deployed without this workspace, for example from the command line. */
function deployedRow(flow: FlowSummary, target: string, routes: RouteRuns): Row {
  return {
    id: flow.id,
    name: flow.id,
    category: null,
    derived: { state: "Deployed", stale: false, deployedAt: flow.lastModified, error: undefined },
    routes: flow.routeCount,
    runs: runsOf(flow.id, routes),
    lastModified: flow.lastModified,
    mark: strings.flows.onlyOn(target),
    isStopped: flow.status === "Stopped",
  };
}

function rowOf(flow: FlowEntry, derived: DerivedState, routes: RouteRuns): Omit<Row, "isStopped"> {
  return {
    id: flow.id,
    name: flow.name,
    category: flow.category,
    derived,
    routes: flow.routeCount,
    runs: runsOf(flow.id, routes),
    lastModified: flow.lastModified,
    mark: flow.readable ? undefined : strings.flows.unreadable,
  };
}

/** A flow that is not saved in the workspace; its draft is in this browser. */
function draftRow(id: string, running: FlowSummary | undefined): Row {
  const { tree } = readTree(drafts.get(id)?.text ?? "");
  const route = tree === undefined ? undefined : outlineOf(tree, id).routes[0];
  return {
    id,
    name: route?.description ?? id,
    category: route?.group ?? null,
    derived: { state: running === undefined ? "Draft" : "Deployed", stale: false, deployedAt: running?.lastModified ?? null, error: undefined },
    routes: tree === undefined ? 0 : outlineOf(tree, id).routes.length,
    runs: undefined,
    lastModified: undefined,
    mark: strings.flows.unsaved,
    isStopped: false,
  };
}

function matches(row: Row, query: string, category: string, state: string): boolean {
  const text = `${row.name} ${row.id}`.toLowerCase();
  return (
    query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (category === "" || row.category === category) &&
    (state === "" || row.derived.state === state)
  );
}

/** Opens a YAML file from this computer as a new, unsaved flow. */
function ImportButton({ isTaken }: { readonly isTaken: (id: string) => boolean }) {
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | undefined>(undefined);
  const open = async (file: File): Promise<void> => {
    const text = await file.text().catch(() => undefined);
    if (text === undefined || text.includes("\0")) return setError(strings.flows.importFailed);
    const id = slug(file.name.replace(/(\.camel)?\.ya?ml$/i, ""), isTaken);
    drafts.put(id, { text, baseHash: null, at: new Date().toISOString() });
    navigate(`/flows/${id}`);
  };
  return (
    <>
      {error === undefined ? null : <span role="alert">{error}</span>}
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml"
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) void open(file);
          // Otherwise choosing the same file again would have no effect.
          event.target.value = "";
        }}
      />
      <Button icon={<Upload size={16} aria-hidden="true" />} onClick={() => input.current?.click()}>
        {strings.flows.importFlow}
      </Button>
    </>
  );
}
