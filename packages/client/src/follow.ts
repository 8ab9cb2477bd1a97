// The events of a stream: of one connection, or of as many as it takes. Apart from the client, because most pages follow nothing.
import type { ApiClient, Arguments, CallInput, EventOf, StreamName } from "./api-client.ts";
import { readEvents } from "./event-stream.ts";

export interface FollowOptions {
  /** A first connection that fails is tried again like any other; otherwise it is thrown. */
  readonly patient?: boolean | undefined;
  /** Told how the connection stands; `reason` says why it is down. */
  readonly onState?: ((state: StreamState, reason?: string) => void) | undefined;
}

export type StreamState = "connecting" | "open" | "down";

const shortestPauseMs = 500;
const longestPauseMs = 10_000;

/** The events of a stream until `signal` is aborted or the runtime ends it. */
export async function* events<N extends StreamName>(client: Pick<ApiClient, "open">, name: N, ...input: Arguments<N>): AsyncGenerator<EventOf<N>> {
  const reply = await client.open(name, ...input);
  yield* eventsOf<N>(reply, input[0]?.signal);
}

async function* eventsOf<N extends StreamName>({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<EventOf<N>> {
  // What the runtime sends under which name is what operations.ts says.
  if (body !== null) yield* readEvents(body, signal) as AsyncGenerator<EventOf<N>>;
}

/** The events of a stream until `signal` is aborted; a connection that breaks is taken up again behind the last event. */
export async function* follow<N extends StreamName>(
  client: Pick<ApiClient, "open">,
  name: N,
  { patient = false, onState, ...input }: CallInput<N> & FollowOptions,
): AsyncGenerator<EventOf<N>> {
  const { signal, headers } = input as Pick<CallInput<N>, "signal" | "headers">;
  let last: string | undefined;
  let wasOpen = false;
  const isOver = (): boolean => signal?.aborted === true;
  for (let pauseMs = shortestPauseMs; !isOver(); pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    onState?.("connecting");
    let reason = "the stream ended";
    try {
      const resumed = last === undefined ? input : { ...input, headers: { ...headers, "last-event-id": last } };
      const reply = await client.open(name, ...([resumed] as unknown as Arguments<N>));
      wasOpen = true;
      onState?.("open");
      for await (const event of eventsOf<N>(reply, signal)) {
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
