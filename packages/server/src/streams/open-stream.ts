// Connects a client to an event stream: limit on clients, resume position, and response headers.
import type { Clock } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import type { ApiStream } from "../http/management.ts";
import type { EventHub, Gap } from "./event-hub.ts";
import { StreamClient, type ClientLimits } from "./stream-client.ts";
import { createStreamFilter, type FilterQuery } from "./stream-filter.ts";

interface StreamRequest extends FilterQuery {
  readonly since?: string | undefined;
  readonly replay?: number | undefined;
}

interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Takes over the body of the reply. */
  readonly connect: (stream: ApiStream) => void;
}

export interface StreamOpener {
  open(hub: EventHub, request: StreamRequest, lastEventId: string | undefined): OpenStream;
  readonly clients: number;
}

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
} as const;

/** For an unknown event id. */
const unknownGap: Gap = { dropped: 0, reason: "restart" };

/** Both streams share the limit on clients. */
export function createStreamOpener(maxClients: number, limits: ClientLimits, clock: Clock): StreamOpener {
  let clients = 0;
  return {
    get clients() {
      return clients;
    },
    open(hub, { since, replay, ...query }, lastEventId) {
      const filter = createStreamFilter(query);
      const from = lastEventId ?? since;
      const resumes = from !== undefined && from !== "";
      // Browsers resend the header themselves, so an unknown id is reported as a gap. An unknown query value is a mistake.
      const isUnknown = resumes && hub.since(from) === undefined;
      if (isUnknown && lastEventId === undefined) throw new ServiceError("query-invalid", "since must be the id of an event");
      if (clients >= maxClients)
        throw new ServiceError("saturated", `at most ${maxClients} clients can use the event streams: close one, or raise SERVICE_MAX_STREAM_CLIENTS`, {
          "Retry-After": "10",
        });
      return {
        headers,
        connect(stream) {
          clients++;
          hub.addEarlierEvents();
          const client = new StreamClient({ hub, stream, filter, limits, clock, closed: () => clients-- });
          // Evaluated again to include events since the check above.
          const resumed = isUnknown ? { gap: unknownGap, events: [] } : resumes ? hub.since(from) : undefined;
          client.begin(resumed ?? { events: replay === undefined ? [] : hub.latest(replay, filter) });
        },
      };
    },
  };
}
