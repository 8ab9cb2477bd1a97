import { Link } from "wouter";
import type { Run } from "@sluice/client";
import { Moment } from "../controls/moment.tsx";
import { strings } from "../strings.ts";

const words = strings.runs;

const looks: Readonly<Record<string, string>> = { completed: "chip--ok", failed: "chip--fail", retrying: "chip--warn" };

export const StatusChip = ({ status }: { readonly status: string }) => (
  <span className={`chip ${looks[status] ?? ""}`}>{words.statuses[status as Run["status"]] ?? status}</span>
);

/** A list of runs, newest first; each links to its flow's canvas. */
export function RunTable({ runs, chosen }: { readonly runs: readonly Run[]; readonly chosen?: string | undefined }) {
  if (runs.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  const { columns } = words;
  return (
    <div className="table-scroll" role="region" aria-label={words.title} tabIndex={0}>
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
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <StatusChip status={run.status} />
              </td>
              <td>
                <Link href={`/flows/${run.flowId}`}>{run.routeId}</Link>
                <div>
                  <Link className="mono" href={`/flows/${run.flowId}/runs/${run.id}`} aria-current={run.id === chosen ? "true" : undefined}>
                    {run.id}
                  </Link>
                </div>
              </td>
              <td data-label={columns.started}>
                <Moment iso={run.startedAt} />
              </td>
              <td className="number" data-label={columns.duration}>
                {run.durationMs === null ? "" : `${run.durationMs} ms`}
              </td>
              <td className="mono" data-label={columns.trigger}>
                {run.trigger.uri}
              </td>
              <td className="cell-text" data-label={columns.error}>
                {run.error?.message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
