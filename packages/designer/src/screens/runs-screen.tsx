import { Activity } from "lucide-react";
import { useCallback, useState } from "react";
import type { Run, RunStatus } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useTitle } from "./page-context.tsx";
import { RunTable } from "./run-table.tsx";
import { usePolled } from "./use-polled.ts";

const words = strings.runs;
const shownRuns = 200;
const followMs = 2000;

export function RunsScreen() {
  const target = useWorkspace((state) => state.target);
  const [status, setStatus] = useState<RunStatus | "">("");
  const [query, setQuery] = useState("");
  const [follow, setFollow] = useState(true);
  useTitle(strings.pageTitle(words.title));
  const load = useCallback(
    () => runtimeAt(target).call("GET /runs", { query: { limit: shownRuns, status: status === "" ? undefined : status } }),
    [status, target],
  );
  const [loaded] = usePolled(target === undefined ? undefined : load, follow ? followMs : undefined);
  const runs = loaded !== undefined && "value" in loaded ? loaded.value.runs.filter((run) => matches(run, query)) : [];
  const isEmpty = loaded !== undefined && "value" in loaded && loaded.value.total === 0 && status === "";
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{words.title}</h1>
        {loaded !== undefined && "value" in loaded && !isEmpty ? <span className="muted">{words.of(runs.length, loaded.value.total)}</span> : null}
        <span className="grow" />
        <Button aria-pressed={follow} onClick={() => setFollow(!follow)}>
          {words.follow}
        </Button>
      </div>
      {loaded !== undefined && "error" in loaded ? <FailureBanner text={loaded.error} /> : null}
      {isEmpty ? (
        <EmptyState icon={<Activity size={40} aria-hidden="true" />} title={words.emptyTitle} text={words.emptyText} />
      ) : (
        <>
          <div className="filters" role="search">
            <SearchField label={words.search} hint={words.searchHint} value={query} onChange={setQuery} />
            <Field label={words.status}>
              {(control) => (
                <select {...control} className="input" value={status} onChange={(event) => setStatus(event.target.value as RunStatus | "")}>
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
          {loaded !== undefined && "value" in loaded ? <RunTable runs={runs} /> : null}
        </>
      )}
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
