// 64 slots: every flow belongs to one, and the node that holds it runs the schedules and polls of the flow. A slot is a claim with the boot
// of its owner; a claim whose owner's session has ended is released and claimed again.
import { createHash } from "node:crypto";
import type { Claim, Cluster, Log } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import type { Session } from "./session.ts";

const slotCount = 64;
const everyMs = 1_000;

const numberOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE();

export const slotOf = (flowId: string): number => numberOf(flowId) % slotCount;

export interface SlotParts {
  readonly cluster: Cluster;
  readonly session: Session;
  readonly log: Log;
  /** Starts and suspends routes according to `holds`. */
  reconcile(): Promise<void>;
}

export class Slots {
  readonly #parts: SlotParts;
  readonly #held = new Map<number, Claim>();
  /** Claims from before a disconnection. They may still exist, but another node may have taken over. */
  readonly #lost = new Map<number, Claim>();
  #cancel: (() => void) | undefined = undefined;
  /** The epoch of the session in which the held slots were claimed. */
  #epoch = 0;
  #isStopped = false;
  #round: Promise<void> = Promise.resolve();

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  /** True while this node holds the slot and no other node can have taken it over. */
  holds(slot: number): boolean {
    const { session } = this.#parts;
    return this.#held.has(slot) && session.isValid && session.epoch === this.#epoch;
  }

  /** The token of the claim, while the slot is held: another one after every interruption. */
  tokenOf(slot: number): number | undefined {
    return this.holds(slot) ? this.#held.get(slot)?.token : undefined;
  }

  list(): readonly number[] {
    return [...this.#held.keys()].sort((a, b) => a - b);
  }

  start(): void {
    const again = (): void => {
      if (!this.#isStopped) this.#cancel = systemClock.after(everyMs, () => this.start());
    };
    this.#round = this.#balance()
      .finally(() => this.#parts.reconcile())
      .then(again, (error: unknown) => {
        if (!this.#isStopped) this.#parts.log.write("WARN", "sluice.cluster", `Cannot claim slots: ${(error as Error).message}`);
        again();
      });
  }

  /** Gives up all slots. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
    await Promise.all([...this.#held.keys()].map((slot) => this.#release(slot).catch(() => undefined)));
  }

  async #balance(): Promise<void> {
    const { cluster, session } = this.#parts;
    // A process that was suspended may have a valid session again, with claims that another node took over.
    if (!session.isValid || session.epoch !== this.#epoch) this.#lose();
    if (!session.isValid) return;
    this.#epoch = session.epoch;
    for (const [slot, claim] of this.#lost) {
      await cluster.claims.release(claim);
      this.#lost.delete(slot);
    }
    const ready = session.live().filter(({ isReady }) => isReady);
    const share = Math.ceil(slotCount / Math.max(1, ready.length));
    const ranked = Array.from({ length: slotCount }, (_, slot) => slot).sort((a, b) => this.#rank(b) - this.#rank(a));
    if (this.#held.size > share) {
      const last = ranked.findLast((slot) => this.#held.has(slot));
      if (last !== undefined) await this.#release(last);
      return;
    }
    const taken = new Set(ready.filter(({ boot }) => boot !== cluster.boot).flatMap(({ slots }) => slots));
    const free = ranked.filter((slot) => !taken.has(slot) && !this.#held.has(slot)).slice(0, share - this.#held.size);
    await Promise.all(free.map((slot) => this.#claim(slot)));
  }

  async #claim(slot: number): Promise<void> {
    const { cluster, session } = this.#parts;
    const attempt = (): Promise<Claim> => cluster.claims.claim("slot", String(slot), Buffer.from(cluster.boot));
    let claim = await attempt();
    if (!claim.won && !session.isLive(Buffer.from(claim.note).toString())) {
      await cluster.claims.release(claim);
      claim = await attempt();
    }
    if (claim.won) this.#held.set(slot, claim);
  }

  /** The routes stop before the claim is released, so that two nodes never run them. */
  async #release(slot: number): Promise<void> {
    const claim = this.#held.get(slot);
    if (claim === undefined) return;
    this.#held.delete(slot);
    await this.#parts.reconcile();
    await this.#parts.cluster.claims.release(claim);
  }

  #lose(): void {
    const slots = [...this.#held];
    this.#held.clear();
    for (const [slot, claim] of slots) this.#lost.set(slot, claim);
  }

  /** Rendezvous hash: when a node joins or leaves, few slots move. */
  #rank(slot: number): number {
    return numberOf(`${this.#parts.cluster.node} ${slot}`);
  }
}
