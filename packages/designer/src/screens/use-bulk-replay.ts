import { useEffect, useRef, useState } from "react";
import { ApiError, type ReplayJob } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";

const pollMs = 500;

export interface BulkReplay {
  /** Progress of the running replay. */
  readonly job: ReplayJob | undefined;
  start(filter: Readonly<Record<string, string>>): void;
  /** Starts no more replays; those in progress finish. */
  cancel(): void;
}

/** Replays many dead letters on the runtime and tracks progress; `onEnd` receives the result, `onError` the error. */
export function useBulkReplay(target: string | undefined, onEnd: (job: ReplayJob) => void, onError: (error: Error) => void): BulkReplay {
  const [job, setJob] = useState<ReplayJob | undefined>(undefined);
  const handlers = useRef({ onEnd, onError });
  handlers.current = { onEnd, onError };
  const update = (next: ReplayJob): void => {
    setJob(next.status === "running" ? next : undefined);
    if (next.status !== "running") handlers.current.onEnd(next);
  };
  const fail = (error: Error): void => {
    setJob(undefined);
    handlers.current.onError(error);
  };
  /** The replay continues on the runtime when a poll fails, so polling continues, unless the runtime no longer has the replay. */
  const keepPolling = (error: Error): void => (error instanceof ApiError && error.status === 404 ? fail(error) : setJob((before) => before && { ...before }));
  const id = job?.id ?? undefined;
  useEffect(() => {
    if (job === undefined || id === undefined) return;
    const timer = setTimeout(() => void runtimeAt(target).call("GET /dead-letters/replays/:id", { params: { id } }).then(update, keepPolling), pollMs);
    return () => clearTimeout(timer);
  }, [job, id, target]);
  return {
    job,
    start: (filter) => void runtimeAt(target).call("POST /dead-letters/replay", { body: filter }).then(update, fail),
    cancel: () => id !== undefined && void runtimeAt(target).call("DELETE /dead-letters/replays/:id", { params: { id } }).then(update, keepPolling),
  };
}
