// Claims on JetStream: a subject accepts one message, so exactly one publisher wins. The token is the sequence; releasing deletes exactly that sequence.
import { randomUUID } from "node:crypto";
import { ClusterError, type Claim, type Claims, type ClaimSet } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import { retryOperation } from "../retry-operation.ts";
import { attemptMs, deleteSequence, messageIdHeader, storeFailed, storeLink, tokenOf, type NatsLink } from "./nats-link.ts";
import { streamOf } from "./nats-records.ts";

/** How long the keys of a set last; those of the other sets last until they are released. */
const lifetimes = { hour: 3_600_000, day: 86_400_000 } as const;
const purgeEveryMs = 60_000;

export const claimStreamOf = ({ name }: NatsLink, set: ClaimSet): string => `${name}_claims_${set}`;

export class NatsClaims implements Claims {
  readonly #link: NatsLink;
  #cancel: (() => void) | undefined = undefined;

  constructor(link: NatsLink) {
    this.#link = link;
    this.#purgeLater();
  }

  async claim(set: ClaimSet, key: string, note: Uint8Array): Promise<Claim> {
    const link = this.#link;
    const subject = `${link.name}.claim.${set}.${tokenOf(key)}`;
    const messageId = randomUUID();
    return retryOperation(storeLink(link), async () => {
      for (;;) {
        try {
          const { seq } = await link.js.publish(subject, note, { msgID: messageId, timeout: attemptMs });
          return { set, key, won: true, note, token: seq };
        } catch (error) {
          if (!storeFailed(error, "maximum messages per subject exceeded")) throw storeFailed(error, "exceeded") ? fullError(error as Error) : error;
        }
        const owner = await link.jsm.streams.getMessage(claimStreamOf(link, set), { last_by_subj: subject });
        // Null: released in the meantime, so the next attempt may win.
        if (owner !== null) return { set, key, won: owner.header.get(messageIdHeader) === messageId, note: owner.data, token: owner.seq };
      }
    });
  }

  async release({ set, token }: Claim): Promise<void> {
    const link = this.#link;
    await retryOperation(storeLink(link), () => deleteSequence(link, claimStreamOf(link, set), token));
  }

  close(): void {
    this.#cancel?.();
  }

  #purgeLater(): void {
    this.#cancel = systemClock.after(purgeEveryMs, () => {
      const next = (): void => this.#purgeLater();
      if (this.#link.isUp) void Promise.all([purgeClaims(this.#link, "hour", lifetimes.hour), purgeClaims(this.#link, "day", lifetimes.day)]).then(next, next);
      else next();
    });
  }
}

/**
 * Removes the keys of a set that are older than `lifetimeMs`. Servers would expire messages by their own clocks, so replicas would differ; a purge is a
 * replicated operation. The time is that of the last heartbeat in the store, because the clock of a node may be wrong.
 */
export async function purgeClaims(link: NatsLink, set: ClaimSet, lifetimeMs: number): Promise<void> {
  const { js, jsm, jetstream } = link;
  const stream = claimStreamOf(link, set);
  const { state } = await jsm.streams.info(stream);
  if (state.messages === 0) return;
  const { state: heartbeats } = await jsm.streams.info(streamOf(link, "nodes"));
  const oldest = Date.parse(heartbeats.last_ts) - lifetimeMs;
  if (Date.parse(state.last_ts) < oldest) return void (await jsm.streams.purge(stream, { seq: state.last_seq + 1 }));
  const recent = await js.consumers.get(stream, { deliver_policy: jetstream.DeliverPolicy.StartTime, opt_start_time: new Date(oldest).toISOString() });
  // Null: the consumer did not respond in time. The next purge tries again.
  const first = await recent.next({ expires: attemptMs });
  // Skipped if nothing is older: a purge up to sequence 1 would remove everything.
  if (first !== null && first.seq > state.first_seq) await jsm.streams.purge(stream, { seq: first.seq });
}

const fullError = (cause: Error): ClusterError => new ClusterError("full", `the NATS servers cannot store a claim: ${cause.message}`, { cause });
