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

/** Replays many dead letters on the runtime and tracks progress; `ended` receives the result, `failed` the error. */
export function useBulkReplay(target: string | undefined, ended: (job: ReplayJob) => void, failed: (error: Error) => void): BulkReplay {
  const [job, setJob] = useState<ReplayJob | undefined>(undefined);
  const handlers = useRef({ ended, failed });
  handlers.current = { ended, failed };
  const update = (next: ReplayJob): void => {
    setJob(next.status === "running" ? next : undefined);
    if (next.status !== "running") handlers.current.ended(next);
  };
  const fail = (error: Error): void => {
    setJob(undefined);
    handlers.current.failed(error);
  };
  /** The replay continues on the runtime when a call about it fails; only a runtime that does not know it ends the tracking. */
  const skip = (error: Error): void => (error instanceof ApiError && error.status === 404 ? fail(error) : setJob((before) => before && { ...before }));
  const id = job?.id ?? undefined;
  useEffect(() => {
    if (job === undefined || id === undefined) return;
    const timer = setTimeout(() => void runtimeAt(target).call("GET /dead-letters/replays/:id", { params: { id } }).then(update, skip), pollMs);
    return () => clearTimeout(timer);
  }, [job, id, target]);
  return {
    job,
    start: (filter) => void runtimeAt(target).call("POST /dead-letters/replay", { body: filter }).then(update, fail),
    cancel: () => id !== undefined && void runtimeAt(target).call("DELETE /dead-letters/replays/:id", { params: { id } }).then(update, skip),
  };
}
