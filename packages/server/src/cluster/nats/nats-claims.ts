// Claims on JetStream: a subject accepts one message, so of all publishers one wins. The token is the sequence; releasing deletes exactly it.
import { randomUUID } from "node:crypto";
import type { Claim, Claims, ClaimSet } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import { persist } from "../persist.ts";
import { apiCode, attemptMs, codeOf, deleteSequence, messageIdHeader, storeLink, tokenOf, type NatsLink } from "./nats-link.ts";

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
    return persist(storeLink(link), async () => {
      for (;;) {
        try {
          const { seq } = await link.js.publish(subject, note, { msgID: messageId, timeout: attemptMs });
          return { set, key, won: true, note, token: seq };
        } catch (error) {
          if (codeOf(error) !== apiCode.subjectTaken) throw error;
        }
        const owner = await link.jsm.streams.getMessage(claimStreamOf(link, set), { last_by_subj: subject });
        // Undefined: released meanwhile, so the next attempt may win.
        if (owner !== null) return { set, key, won: owner.header.get(messageIdHeader) === messageId, note: owner.data, token: owner.seq };
      }
    });
  }

  async release({ set, token }: Claim): Promise<void> {
    const link = this.#link;
    await persist(storeLink(link), () => deleteSequence(link, claimStreamOf(link, set), token));
  }

  close(): void {
    this.#cancel?.();
  }

  /** Servers would expire messages by their own clocks, so that replicas differ; a purge is a replicated operation. */
  async #purge(set: keyof typeof lifetimes): Promise<void> {
    const { js, jsm, jetstream } = this.#link;
    const stream = claimStreamOf(this.#link, set);
    const { state } = await jsm.streams.info(stream);
    if (state.messages === 0) return;
    const start = new Date(Date.now() - lifetimes[set]).toISOString();
    const recent = await js.consumers.get(stream, { deliver_policy: jetstream.DeliverPolicy.StartTime, opt_start_time: start });
    const first = await recent.next({ expires: attemptMs });
    await jsm.streams.purge(stream, { seq: first?.seq ?? state.last_seq + 1 });
  }

  #purgeLater(): void {
    this.#cancel = systemClock.after(purgeEveryMs, () => {
      const next = (): void => this.#purgeLater();
      if (this.#link.isUp) void Promise.all([this.#purge("hour"), this.#purge("day")]).then(next, next);
      else next();
    });
  }
}
