// The thread that has the files of stored runs open, so that neither writing nor searching blocks the event loop. The function below is
// sent to the thread as text, so it may use nothing but types. Every request gets a reply.
import type { FoundRows, RunSearch, SegmentFiles, Unreadable } from "./segment-files.ts";
import type { StoredRun } from "./stored-run.ts";

/** Requests to the thread and their results. */
export interface SegmentCalls {
  open(now: number): void;
  add(runs: readonly StoredRun[], now: number): void;
  trim(now: number): void;
  search(query: RunSearch): FoundRows;
  find(id: string): { readonly metadata: string; readonly messages: string | null } | undefined;
  close(): void;
}

export interface SegmentRequest {
  readonly call: number;
  readonly name: keyof SegmentCalls;
  readonly values: readonly unknown[];
}

export interface SegmentReply {
  readonly call: number;
  readonly result: unknown;
  /** Why it failed. */
  readonly error: string | undefined;
  readonly unreadable: readonly Unreadable[];
  readonly runs: number;
  readonly bytes: number;
}

interface Port {
  postMessage(message: SegmentReply): void;
  on(event: "message", listener: (message: SegmentRequest) => void): void;
  close(): void;
}

/** Runs in the thread. */
export function segmentThread(port: Port, files: SegmentFiles): void {
  port.on("message", ({ call, name, values }) => {
    let result: unknown;
    let error: string | undefined;
    try {
      result = (files[name] as (...parameters: readonly unknown[]) => unknown).call(files, ...values);
    } catch (thrown) {
      error = (thrown as Error).message;
    }
    port.postMessage({ call, result, error, unreadable: files.takeUnreadable(), runs: files.runs, bytes: files.bytes });
    if (name === "close") port.close();
  });
}
