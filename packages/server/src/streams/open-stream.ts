// Connects a client to an event stream: the cap on clients, where it resumes, and the head of the reply.
import type { Clock } from "@sluice/engine";
import { Refusal } from "../refusal.ts";
import type { ApiStream } from "../http/management.ts";
import type { EventHub } from "./event-hub.ts";
import { StreamClient, type ClientLimits } from "./stream-client.ts";
import { createStreamFilter, type FilterQuery } from "./stream-filter.ts";

interface StreamRequest extends FilterQuery {
  readonly since?: string | undefined;
  readonly replay?: number | undefined;
}

interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Takes over the reply's body. */
  readonly connect: (stream: ApiStream) => void;
}

export interface StreamDoor {
  open(hub: EventHub, request: StreamRequest, lastEventId: string | undefined): OpenStream;
  readonly clients: number;
}

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Both streams share one door, and with it the cap on clients. */
export function createStreamDoor(maxClients: number, limits: ClientLimits, clock: Clock): StreamDoor {
  let clients = 0;
  return {
    get clients() {
      return clients;
    },
    open(hub, { since, replay, ...query }, lastEventId) {
      const filter = createStreamFilter(query);
      const from = lastEventId ?? since;
      const resumes = from !== undefined && from !== "";
      if (resumes && hub.since(from) === undefined) throw new Refusal("query-invalid", "since must be the id of an event");
      if (clients >= maxClients) throw new Refusal("saturated", `no more than ${maxClients} clients may follow the event streams`, { "Retry-After": "10" });
      return {
        headers,
        connect(stream) {
          clients++;
          hub.recall();
          const client = new StreamClient({ hub, stream, filter, limits, clock, closed: () => clients-- });
          // Asked again only now: what happened since the check above belongs to the answer.
          const resumed = resumes ? hub.since(from) : undefined;
          client.begin(resumed ?? { events: replay === undefined ? [] : hub.latest(replay, filter) });
        },
      };
    },
  };
}
