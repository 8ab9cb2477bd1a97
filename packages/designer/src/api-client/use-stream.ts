import { follow, type CallInput, type EventOf, type StreamName, type StreamState } from "@sluice/client";
import { useEffect, useRef, useState } from "react";
import { runtimeAt } from "./runtime-client.ts";

export interface FollowedStream {
  readonly connection: StreamState;
  /** Events dropped by the runtime because this page could not keep up. */
  readonly dropped: number;
}

const batchMs = 100;

/** Follows a stream of the runtime: `onEvent` gets each event; `onBatchEnd` is called after each batch. `query` must be stable. */
export function useStream(
  stream: StreamName,
  query: NonNullable<CallInput<StreamName>["query"]>,
  target: string | undefined,
  onEvent: (event: EventOf<StreamName>) => void,
  onBatchEnd: () => void,
): FollowedStream {
  const [connection, setConnection] = useState<StreamState>("connecting");
  const [dropped, setDropped] = useState(0);
  const handlers = useRef({ onEvent, onBatchEnd });
  handlers.current = { onEvent, onBatchEnd };
  useEffect(() => {
    if (target === undefined) return;
    const stopped = new AbortController();
    let batchTimer: ReturnType<typeof setTimeout> | undefined;
    const listen = async (): Promise<void> => {
      const onState = (state: StreamState): void => setConnection(state);
      for await (const event of follow(runtimeAt(target), stream, { query, signal: stopped.signal, retryFirstConnection: true, onState })) {
        if (event.name === "gap") setDropped((before) => before + event.data.dropped);
        handlers.current.onEvent(event);
        batchTimer ??= setTimeout(() => {
          batchTimer = undefined;
          handlers.current.onBatchEnd();
        }, batchMs);
      }
    };
    void listen();
    return () => {
      stopped.abort();
      clearTimeout(batchTimer);
    };
  }, [stream, query, target]);
  return { connection, dropped };
}
