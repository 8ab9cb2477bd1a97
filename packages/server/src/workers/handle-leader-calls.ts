// Handles the leader's calls in a follower: applies changes and answers queries about runs and events.
import type { Policies } from "../access/policies.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { ReplayStore } from "../replay/replay-store.ts";
import type { RunWriter } from "../run-store/run-writer.ts";
import { findRuns } from "../runs/find-runs.ts";
import { runJson } from "../runs/run-metadata.ts";
import type { RunFilter, RunHistory } from "../runs/run-history.ts";
import type { LogRecorder } from "../streams/log-recorder.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import type { Calls } from "./calls.ts";
import { EventWatcher } from "../streams/event-watcher.ts";
import type { ForwardedEvents } from "../streams/forwarded-events.ts";
import type { ReplicatedState } from "./replicated-state.ts";
import type { ChangeRequest, RemoteRun, RunsQuery, WatchRequest } from "./messages.ts";

/** The parts of a follower that the leader's calls read or change. */
export interface LeaderCallParts {
  readonly state: ReplicatedState;
  readonly policies: Policies;
  readonly history: RunHistory;
  readonly runWriter: RunWriter | undefined;
  readonly replayStore: ReplayStore;
  readonly secrets: SecretValues;
  readonly trace: TraceRecorder;
  readonly logs: LogRecorder;
  recentLines(): readonly string[];
}

/** Registers a handler for every call the leader makes. */
export function handleLeaderCalls(
  calls: Calls,
  { state, policies, history, runWriter, replayStore, secrets, trace, logs, recentLines }: LeaderCallParts,
): void {
  const forward = (events: ForwardedEvents): void => calls.notify("leader", "forwarded-events", events);
  const watchers = { trace: new EventWatcher(trace.hub, forward), log: new EventWatcher(logs.hub, forward) };
  calls.on("change", (request: ChangeRequest) => state.apply(request));
  calls.on("watch", ({ stream, queries }: WatchRequest) => {
    const lines = stream === "log" && !logs.hub.recording ? recentLines() : [];
    watchers[stream].watch(queries);
    return lines;
  });
  calls.on("runs", async ({ without, ...filter }: RunsQuery) => {
    await runWriter?.flush();
    return findRuns(history, filter, secrets, new Set(without));
  });
  calls.on("run-ids", (filter: RunFilter) => history.runIds(filter));
  calls.on("run", ({ id }: { id: string }) => {
    const run = history.find(id);
    return run === undefined ? undefined : { ...runJson(run, secrets), replayable: replayStore.input(id) !== undefined };
  });
  calls.on("fetch-run", ({ id }: { id: string }): RemoteRun | undefined => {
    const record = history.find(id);
    return record === undefined ? undefined : { record, replayData: replayStore.export(id) };
  });
  calls.on("source-blocked", ({ source }: { source: string }) => policies.blockSource(source));
  calls.on("drained", ({ flowId }: { flowId: string }) => state.drained(flowId));
}
