import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment, useState, type CSSProperties, type ReactNode } from "react";
import { Link } from "wouter";
import type { Run } from "@sluice/client";
import { useCatalog, useCatalogLoader } from "../catalog/use-catalog.ts";
import { Timestamp } from "../controls/timestamp.tsx";
import { strings } from "../strings.ts";
import { groupRuns } from "./run-groups.ts";
import "./run-table.css";

const text = strings.runs;
const { columns } = text;

const styles: Readonly<Record<string, string>> = { completed: "chip--ok", failed: "chip--fail", retrying: "chip--warn" };

export const StatusChip = ({ status }: { readonly status: string }) => (
  <span className={`chip ${styles[status] ?? ""}`}>{text.statuses[status as Run["status"]] ?? status}</span>
);

/** A list of runs, newest first; each links to its flow's canvas. Runs of called routes are listed under the run that called them. */
export function RunTable({ runs, selectedId }: { readonly runs: readonly Run[]; readonly selectedId?: string | undefined }) {
  useCatalogLoader();
  const catalog = useCatalog();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setOpened((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  if (runs.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  return (
    <div className="table-scroll" role="region" aria-label={text.title} tabIndex={0}>
      <table className="table table--stacks">
        <thead>
          <tr>
            <th scope="col">{columns.status}</th>
            <th scope="col">{columns.route}</th>
            <th scope="col">{columns.started}</th>
            <th scope="col" className="number">
              {columns.duration}
            </th>
            <th scope="col">{columns.trigger}</th>
            <th scope="col">{columns.error}</th>
          </tr>
        </thead>
        <tbody>
          {groupRuns(runs, (uri) => catalog?.isRouteCall(uri) === true).map(({ run, called }) => {
            const isOpen = opened.has(run.id);
            return (
              <Fragment key={run.id}>
                <RunRow run={run} selectedId={selectedId}>
                  {called.length === 0 ? null : (
                    <button type="button" className="run-fold" aria-expanded={isOpen} onClick={() => toggle(run.id)}>
                      {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
                      {text.calledRoutes(called.length, called.filter(({ run: { status } }) => status === "failed").length)}
                    </button>
                  )}
                </RunRow>
                {isOpen ? called.map(({ run: calledRun, depth }) => <RunRow key={calledRun.id} run={calledRun} selectedId={selectedId} depth={depth} />) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RunRowProps {
  readonly run: Run;
  readonly selectedId: string | undefined;
  /** 0 for a run without a caller in the list. */
  readonly depth?: number;
  readonly children?: ReactNode;
}

function RunRow({ run, selectedId, depth = 0, children }: RunRowProps) {
  return (
    <tr data-called={depth > 0 || undefined} style={{ "--depth": depth } as CSSProperties}>
      <td>
        <StatusChip status={run.status} />
      </td>
      <td>
        {depth === 0 ? null : <span className="visually-hidden">{text.calledRun}</span>}
        <Link href={`/flows/${run.flowId}`}>{run.routeId}</Link>
        <div>
          <Link className="mono" href={`/flows/${run.flowId}/runs/${run.id}`} aria-current={run.id === selectedId ? "true" : undefined}>
            {run.id}
          </Link>
        </div>
        {children}
      </td>
      <td data-label={columns.started}>
        <Timestamp iso={run.startedAt} />
      </td>
      <td className="number" data-label={columns.duration}>
        {run.durationMs === null ? "" : `${run.durationMs} ms`}
      </td>
      <td className="mono run-trigger" title={run.trigger.uri} data-label={columns.trigger}>
        {run.trigger.uri}
      </td>
      <td className="cell-text" data-label={columns.error}>
        {run.error?.message}
      </td>
    </tr>
  );
}
