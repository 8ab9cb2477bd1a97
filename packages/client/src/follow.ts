// A stream that is taken up again when its connection breaks, behind the last event that was seen.
import type { ServerEvent } from "./event-stream.ts";

export interface FollowOptions {
  /** A first connection that fails is tried again like any other; otherwise it is thrown. */
  readonly patient?: boolean | undefined;
  /** Told how the connection stands; `reason` says why it is down. */
  readonly onState?: ((state: StreamState, reason?: string) => void) | undefined;
}

export type StreamState = "connecting" | "open" | "down";

/** One connection, beginning behind an event; `opened` is called when it stands. */
export type Connect = (last: string | undefined, opened: () => void) => AsyncIterable<ServerEvent>;

const shortestPauseMs = 500;
const longestPauseMs = 10_000;

export async function* follow(connect: Connect, signal: AbortSignal | undefined, { patient = false, onState }: FollowOptions): AsyncGenerator<ServerEvent> {
  let last: string | undefined;
  let wasOpen = false;
  const isOver = (): boolean => signal?.aborted === true;
  const opened = (): void => {
    wasOpen = true;
    onState?.("open");
  };
  for (let pauseMs = shortestPauseMs; !isOver(); pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    onState?.("connecting");
    let reason = "the stream ended";
    try {
      for await (const event of connect(last, opened)) {
        pauseMs = shortestPauseMs;
        last = event.id ?? last;
        yield event;
      }
    } catch (error) {
      if (isOver()) return;
      if (!wasOpen && !patient) throw error;
      reason = (error as Error).message;
    }
    if (isOver()) return;
    onState?.("down", reason);
    await pause(pauseMs, signal);
  }
}

/** Waits for a time, or until the signal is given. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
