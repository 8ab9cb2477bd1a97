import { useEffect, useRef, useState } from "react";
import { openEventStream } from "../api-client/event-stream.ts";
import { targetHeaders } from "../api-client/runtime-client.ts";

type Connection = "connecting" | "open" | "down";

export interface FollowedStream {
  readonly connection: Connection;
  /** Events the runtime left out because this page was too slow. */
  readonly dropped: number;
}

const showEveryMs = 100;

/** Follows a stream of the runtime: `onData` hears each event of a name, `onPause` a few times a second that there was something. */
export function useStream(path: string, name: string, target: string | undefined, onData: (data: string) => void, onPause: () => void): FollowedStream {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [dropped, setDropped] = useState(0);
  const heard = useRef({ onData, onPause });
  heard.current = { onData, onPause };
  useEffect(() => {
    if (target === undefined) return;
    let due: ReturnType<typeof setTimeout> | undefined;
    const stop = openEventStream(path, {
      headers: targetHeaders(target),
      onState: setConnection,
      onEvent: (event) => {
        if (event.name === "gap") setDropped((before) => before + droppedIn(event.data));
        if (event.name !== name) return;
        heard.current.onData(event.data);
        due ??= setTimeout(() => {
          due = undefined;
          heard.current.onPause();
        }, showEveryMs);
      },
    });
    return () => {
      stop();
      clearTimeout(due);
    };
  }, [path, name, target]);
  return { connection, dropped };
}

function droppedIn(data: string): number {
  try {
    return Number((JSON.parse(data) as { dropped?: number }).dropped ?? 0);
  } catch {
    return 0;
  }
}
