import { Activity } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { runtimeClient, type Run } from "../api-client/runtime-client.ts";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { Moment } from "../controls/moment.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useTitle } from "./page-context.tsx";

const words = strings.runs;
const shownRuns = 200;
const followMs = 2000;

type Loaded = { readonly runs: readonly Run[]; readonly total: number } | { readonly error: string };

export function RunsScreen() {
  const target = useWorkspace((state) => state.target);
  const [status, setStatus] = useState("");
  const [query, setQuery] = useState("");
  const [follow, setFollow] = useState(true);
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  useTitle(strings.pageTitle(words.title));
  useEffect(() => {
    if (target === undefined) return;
    let current = true;
    const load = (): void =>
      void runtimeClient.runs({ limit: shownRuns, ...(status === "" ? {} : { status }) }, target).then(
        (reply) => current && setLoaded(reply),
        (error: Error) => current && setLoaded({ error: error.message }),
      );
    load();
    const timer = follow ? setInterval(() => document.visibilityState === "visible" && load(), followMs) : undefined;
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [target, status, follow]);
  const runs = loaded !== undefined && "runs" in loaded ? loaded.runs.filter((run) => matches(run, query)) : [];
  const isEmpty = loaded !== undefined && "runs" in loaded && loaded.total === 0 && status === "";
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{words.title}</h1>
        {loaded !== undefined && "runs" in loaded && !isEmpty ? <span className="muted">{words.of(runs.length, loaded.total)}</span> : null}
        <span className="grow" />
        <Button aria-pressed={follow} onClick={() => setFollow(!follow)}>
          {words.follow}
        </Button>
      </div>
      {loaded !== undefined && "error" in loaded ? (
        <div className="banner banner--fail" role="alert">
          <span className="banner__text">{loaded.error}</span>
        </div>
      ) : null}
      {isEmpty ? (
        <EmptyState icon={<Activity size={40} aria-hidden="true" />} title={words.emptyTitle} text={words.emptyText} />
      ) : (
        <>
          <div className="filters" role="search">
            <div className="field field--search">
              <Field label={words.search}>
                {(control) => (
                  <input
                    {...control}
                    className="input"
                    type="search"
                    placeholder={words.searchHint}
                    value={query}
                    onChange={(event) => setQuery(event.target.value)}
                  />
                )}
              </Field>
            </div>
            <Field label={words.status}>
              {(control) => (
                <select {...control} className="input" value={status} onChange={(event) => setStatus(event.target.value)}>
                  <option value="">{strings.common.all}</option>
                  {Object.entries(words.statuses).map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <RunTable runs={runs} />
        </>
      )}
    </div>
  );
}

const looks: Readonly<Record<string, string>> = { completed: "chip--ok", failed: "chip--fail", retrying: "chip--warn" };

function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  if (runs.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  const { columns } = words;
  return (
    <div className="table-scroll" role="region" aria-label={words.title} tabIndex={0}>
      <table className="table">
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
                <span className={`chip ${looks[run.status] ?? ""}`}>{words.statuses[run.status]}</span>
              </td>
              <td>
                <Link href={`/flows/${run.flowId}`}>{run.routeId}</Link>
                <div className="mono muted">{run.id}</div>
              </td>
              <td>
                <Moment iso={run.startedAt} />
              </td>
              <td className="number">{run.durationMs === null ? "" : `${run.durationMs} ms`}</td>
              <td className="mono">{run.trigger.uri}</td>
              <td className="cell-text">{run.error?.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function matches(run: Run, query: string): boolean {
  const text = `${run.id} ${run.routeId} ${run.flowId} ${run.error?.message ?? ""}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
