// Every flow, `master:` name and queue belongs to one of 64 slots. The node that holds a slot runs the schedules and polls of its flows, and orders the
// messages with a key in its queues. A slot is a claim with the boot id of its owner; a claim whose owner's session has ended is released and claimed again.
import { createHash } from "node:crypto";
import type { Claim, Cluster, Log } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { claimForProcess, ownerOf } from "./claim-for-process.ts";
import type { Session } from "./session.ts";

const slotCount = 64;
const intervalMs = 1_000;

const numberOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE();

/** The slot of a flow, a queue, or another key. */
export const slotOf = (key: string): number => numberOf(key) % slotCount;

/** All slots in the order in which a node claims them; it gives up the last one first. By rendezvous hash: when a node joins or leaves, few slots move. */
export function rankedSlots(node: string): readonly number[] {
  const rank = (slot: number): number => numberOf(`${node} ${slot}`);
  return Array.from({ length: slotCount }, (_, slot) => slot).sort((a, b) => rank(b) - rank(a));
}

export interface SlotParts {
  readonly cluster: Cluster;
  readonly session: Session;
  readonly log: Log;
  /** Starts and suspends routes according to `holds`. Resolves with false if a message of a slot that is not held still runs here after some time. */
  reconcile(): Promise<boolean>;
}

export class Slots {
  readonly #parts: SlotParts;
  readonly #ranked: readonly number[];
  readonly #held = new Map<number, Claim>();
  /** Claims from before a disconnection, or of calls that failed (undefined). They may still exist, but another node may have taken over. */
  readonly #lost = new Map<number, Claim | undefined>();
  /** The slot that this node gives up, as soon as none of its messages runs here. */
  #leaving: { readonly slot: number; readonly claim: Claim } | undefined = undefined;
  #cancel: (() => void) | undefined = undefined;
  /** The epoch of the session in which the held slots were claimed. */
  #epoch = 0;
  #isStopped = false;
  /** The held slots in the latest heartbeat that was sent because of them. */
  #reported = "";
  #round: Promise<void> = Promise.resolve();

  constructor(parts: SlotParts) {
    this.#parts = parts;
    this.#ranked = rankedSlots(parts.cluster.node);
  }

  /** True while this node holds the slot and no other node can have taken it over. */
  holds(slot: number): boolean {
    const { session } = this.#parts;
    return this.#held.has(slot) && session.isValid && session.epoch === this.#epoch;
  }

  /** The token of the claim, while the slot is held; it changes after every interruption. */
  tokenOf(slot: number): number | undefined {
    return this.holds(slot) ? this.#held.get(slot)?.token : undefined;
  }

  list(): readonly number[] {
    return [...this.#held.keys()].sort((a, b) => a - b);
  }

  start(): void {
    const scheduleNext = (): void => {
      if (!this.#isStopped) this.#cancel = systemClock.after(intervalMs, () => this.start());
    };
    this.#round = this.#balance()
      .finally(() => this.#parts.reconcile())
      .then(() => this.#report())
      .then(scheduleNext, (error: unknown) => {
        if (!this.#isStopped) this.#parts.log.write("WARN", "sluice.cluster", `Cannot claim slots: ${(error as Error).message}`);
        scheduleNext();
      });
  }

  /** Gives up all slots. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
    const claims = [...this.#held.values(), ...(this.#leaving === undefined ? [] : [this.#leaving.claim])];
    this.#held.clear();
    await this.#parts.reconcile();
    await Promise.all(claims.map((claim) => this.#parts.cluster.claims.release(claim).catch(() => undefined)));
  }

  async #balance(): Promise<void> {
    const { cluster, session } = this.#parts;
    // A process that was suspended may have a valid session again, with claims that another node took over.
    if (!session.isValid || session.epoch !== this.#epoch) this.#markLost();
    if (!session.isValid) return;
    this.#epoch = session.epoch;
    for (const [slot, claim] of this.#lost) {
      await (claim === undefined ? this.#releaseOwn(slot) : cluster.claims.release(claim));
      this.#lost.delete(slot);
    }
    if (this.#leaving !== undefined) return this.#leave();
    const ready = session.live().filter(({ isReady }) => isReady);
    const share = Math.ceil(slotCount / Math.max(1, ready.length));
    const ranked = this.#ranked;
    if (this.#held.size > share) {
      const slot = ranked.findLast((candidate) => this.#held.has(candidate));
      const claim = slot === undefined ? undefined : this.#held.get(slot);
      if (slot === undefined || claim === undefined) return;
      this.#held.delete(slot);
      this.#leaving = { slot, claim };
      return this.#leave();
    }
    const heldByOthers = new Set(ready.filter(({ boot }) => boot !== cluster.boot).flatMap(({ slots }) => slots));
    const free = ranked.filter((slot) => !heldByOthers.has(slot) && !this.#held.has(slot)).slice(0, share - this.#held.size);
    const failed = (await Promise.allSettled(free.map((slot) => this.#claim(slot)))).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  /** The other nodes forward requests to the holders of slots: they must not wait for the next heartbeat to learn of a change. */
  async #report(): Promise<void> {
    const held = this.list().join();
    if (held === this.#reported || this.#isStopped) return;
    this.#reported = held;
    await this.#parts.session.sendHeartbeat();
  }

  async #claim(slot: number): Promise<void> {
    const { cluster, session } = this.#parts;
    try {
      const claim = await claimForProcess(cluster, "slot", String(slot), (boot) => session.isDead(boot));
      if (claim.won) this.#held.set(slot, claim);
    } catch (error) {
      this.#lost.set(slot, undefined);
      throw error;
    }
  }

  /** The routes stop, and the last message with a key ends, before the claim is released, so two nodes never run them at the same time. */
  async #leave(): Promise<void> {
    if (this.#leaving === undefined || !(await this.#parts.reconcile())) return;
    await this.#parts.cluster.claims.release(this.#leaving.claim);
    this.#leaving = undefined;
  }

  /** Releases the claim of a failed call if it was stored after all: while this node is alive, no other node releases it. */
  async #releaseOwn(slot: number): Promise<void> {
    const { claims, boot } = this.#parts.cluster;
    const claim = await claims.claim("slot", String(slot), Buffer.from(boot));
    if (claim.won || ownerOf(claim) === boot) await claims.release(claim);
  }

  #markLost(): void {
    const slots = [...this.#held, ...(this.#leaving === undefined ? [] : [[this.#leaving.slot, this.#leaving.claim] as const])];
    this.#held.clear();
    this.#leaving = undefined;
    for (const [slot, claim] of slots) this.#lost.set(slot, claim);
  }
}
