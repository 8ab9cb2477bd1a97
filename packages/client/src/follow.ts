// Reads the events of a stream, over one connection or with reconnects. Separate from the client, because most pages do not need it.
import type { ApiClient, Arguments, CallInput, EventOf, StreamName } from "./api-client.ts";
import { readEvents } from "./event-stream.ts";

export interface FollowOptions {
  /** Whether a failed first connection is retried too; by default its error is thrown. */
  readonly retryFirstConnection?: boolean | undefined;
  /** Called on each change of the connection's state; `reason` explains why it is down. */
  readonly onState?: ((state: StreamState, reason?: string) => void) | undefined;
}

export type StreamState = "connecting" | "open" | "down";

const minPauseMs = 500;
const maxPauseMs = 10_000;

/** The events of a stream until `signal` is aborted or the runtime ends it. */
export async function* events<N extends StreamName>(client: Pick<ApiClient, "open">, name: N, ...input: Arguments<N>): AsyncGenerator<EventOf<N>> {
  const response = await client.open(name, ...input);
  yield* eventsOf<N>(response, input[0]?.signal);
}

async function* eventsOf<N extends StreamName>({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<EventOf<N>> {
  // operations.ts defines the data of each event name.
  if (body !== null) yield* readEvents(body, signal) as AsyncGenerator<EventOf<N>>;
}

/** The events of a stream until `signal` is aborted; a broken connection is resumed after the last event. */
export async function* follow<N extends StreamName>(
  client: Pick<ApiClient, "open">,
  name: N,
  { retryFirstConnection = false, onState, ...input }: CallInput<N> & FollowOptions,
): AsyncGenerator<EventOf<N>> {
  const { signal, headers } = input as Pick<CallInput<N>, "signal" | "headers">;
  let lastEventId: string | undefined;
  let wasOpen = false;
  const isAborted = (): boolean => signal?.aborted === true;
  for (let pauseMs = minPauseMs; !isAborted(); pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    onState?.("connecting");
    let reason = "the stream ended";
    try {
      const resumed = lastEventId === undefined ? input : { ...input, headers: { ...headers, "last-event-id": lastEventId } };
      const response = await client.open(name, ...([resumed] as unknown as Arguments<N>));
      wasOpen = true;
      onState?.("open");
      for await (const event of eventsOf<N>(response, signal)) {
        pauseMs = minPauseMs;
        lastEventId = event.id ?? lastEventId;
        yield event;
      }
    } catch (error) {
      if (isAborted()) return;
      if (!wasOpen && !retryFirstConnection) throw error;
      reason = (error as Error).message;
    }
    if (isAborted()) return;
    onState?.("down", reason);
    await pause(pauseMs, signal);
  }
}

/** Waits for `ms`, or until the signal is aborted. */
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
