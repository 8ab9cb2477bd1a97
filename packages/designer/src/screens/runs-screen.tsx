import { Activity } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { RunStatus } from "@sluice/client";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { formatTime } from "../controls/timestamp.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useTitle } from "./shell-context.tsx";
import { RunTable } from "./run-table.tsx";
import { useRunPages, type RunPages, type RunQuery } from "./use-run-pages.ts";

const labels = strings.runs;
const pollMs = 2000;
/** A text search is polled less often, because it may scan many runs. */
const searchPollMs = 10_000;
const searchDebounceMs = 300;

type FilterName = "text" | "flow" | "route" | "status" | "since" | "until";

/** All runs of the runtime. The filters are part of the URL, so that a link shows the same runs. */
export function RunsScreen() {
  const target = useWorkspace((state) => state.target);
  const [search, setSearch] = useSearchParams();
  const [follow, setFollow] = useState(true);
  useTitle(strings.pageTitle(labels.title));
  useEffect(() => void useWorkspace.getState().loadFlows(), []);
  const filter = (name: FilterName): string => search.get(name) ?? "";
  const setFilter = (name: FilterName, value: string): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === "") after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const queryString = search.toString();
  const query = useMemo(() => queryOf(new URLSearchParams(queryString)), [queryString]);
  const pages = useRunPages(target, query, follow ? (query.text === undefined ? pollMs : searchPollMs) : undefined);
  const isEmpty = pages.isLoaded && pages.total === 0 && queryString === "";
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        <span className="muted" aria-live="polite">
          {pages.isLoaded && !isEmpty ? countText(pages) : ""}
        </span>
        <span className="grow" />
        <Button aria-pressed={follow} onClick={() => setFollow(!follow)}>
          {labels.follow}
        </Button>
      </div>
      {pages.error === undefined ? null : <FailureBanner text={pages.error} />}
      {isEmpty ? (
        <EmptyState icon={<Activity size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText} />
      ) : (
        <>
          <div className="filters" role="search">
            <TextFilter value={filter("text")} onChange={(text) => setFilter("text", text)} />
            <ChoiceFilters filter={filter} setFilter={setFilter} />
            <TimeFilter label={labels.since} value={filter("since")} onChange={(time) => setFilter("since", time)} />
            <TimeFilter label={labels.until} value={filter("until")} onChange={(time) => setFilter("until", time)} />
          </div>
          {pages.isLoaded ? <RunTable runs={pages.runs} /> : null}
          {pages.loadOlder === undefined ? null : (
            <p className="more">
              {pages.total === undefined && pages.searchedBack !== undefined ? <span>{labels.searchedBack(formatTime(pages.searchedBack))}</span> : null}
              <Button onClick={pages.loadOlder}>{pages.total === undefined ? labels.searchFurther : labels.showOlder}</Button>
            </p>
          )}
        </>
      )}
    </div>
  );
}

function queryOf(search: URLSearchParams): RunQuery {
  const value = (name: FilterName): string | undefined => search.get(name) ?? undefined;
  return {
    text: value("text"),
    flowId: value("flow"),
    routeId: value("route"),
    status: value("status") as RunStatus | undefined,
    since: isoOf(value("since")),
    until: isoOf(value("until")),
  };
}

/** The URL contains local times, like the fields. */
function isoOf(local: string | undefined): string | undefined {
  const time = new Date(local ?? "");
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function countText({ runs, total, loadOlder }: RunPages): string {
  if (total !== undefined) return labels.of(runs.length, total);
  return loadOlder === undefined ? labels.found(runs.length) : labels.foundSoFar(runs.length);
}

/** Searches shortly after the last keystroke. */
function TextFilter({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    // The value was changed elsewhere, for example by a link to all runs.
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text === value) return;
      reported.current = text;
      onChange(text);
    }, searchDebounceMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return <SearchField label={labels.search} hint={labels.searchHint} value={text} onChange={setText} />;
}

interface ChoiceFiltersProps {
  readonly filter: (name: FilterName) => string;
  readonly setFilter: (name: FilterName, value: string) => void;
}

function ChoiceFilters({ filter, setFilter }: ChoiceFiltersProps) {
  const { flows, runtime } = useWorkspace();
  const flow = filter("flow");
  const flowIds = [...new Set([...(flows ?? []).map(({ id }) => id), ...runtime.flows.keys()])].sort();
  const routes = (runtime.health?.routes ?? []).filter(({ flowId }) => flow === "" || flowId === flow).map(({ id }) => id);
  return (
    <>
      <ChoiceFilter label={labels.flow} value={flow} choices={flowIds.map((id) => [id, id])} onChange={(value) => setFilter("flow", value)} />
      <ChoiceFilter label={labels.route} value={filter("route")} choices={routes.map((id) => [id, id])} onChange={(value) => setFilter("route", value)} />
      <ChoiceFilter label={labels.status} value={filter("status")} choices={Object.entries(labels.statuses)} onChange={(value) => setFilter("status", value)} />
    </>
  );
}

interface ChoiceFilterProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

function ChoiceFilter({ label, value, choices, onChange }: ChoiceFilterProps) {
  // A link may name a flow or route that no longer exists but still has runs.
  const all = value === "" || choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value] as const];
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{strings.common.all}</option>
          {all.map(([choice, name]) => (
            <option key={choice} value={choice}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function TimeFilter({ label, value, onChange }: { readonly label: string; readonly value: string; readonly onChange: (time: string) => void }) {
  return (
    <Field label={label}>
      {(control) => <input {...control} className="input" type="datetime-local" step="1" value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}
