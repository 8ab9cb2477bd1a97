// Which nodes are alive. A node writes a heartbeat; the others count it as dead after a full TTL without one, by their own monotonic clock. A
// node that cannot send heartbeats itself does not declare others dead. Clocks of two machines are never compared.
import type { Cluster, Log } from "@sluice/engine";
import { SettingsError } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import type { NodeReport } from "../other-nodes/cluster-view.ts";
import type { Pins } from "./session-pins.ts";
import { waitForStartStep } from "./wait-for-start-step.ts";

/** The data that a node reports about itself. */
export interface Heartbeat extends NodeReport {
  /** Undefined in heartbeats of older versions. */
  readonly pins?: Pins;
}

interface Member {
  heartbeat: Heartbeat;
  receivedAt: number;
}

export interface SessionParts {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly ttlMs: number;
  /** Returns the next heartbeat. */
  heartbeat(): Heartbeat;
  /** Called when `isValid` becomes false: the other nodes may soon take over the work of this one. */
  expired(): void;
}

/** The data that a node publishes as soon as it has applied a change, without waiting for its next heartbeat. */
type Progress = Pick<Heartbeat, "boot" | "isReady" | "applied" | "behind">;

const progressTopic = "applied";
const retryMs = 500;

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const decode = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

export class Session {
  readonly #parts: SessionParts;
  readonly #members = new Map<string, Member>();
  readonly #waiting = new Set<() => void>();
  /** Incremented after each interruption of the heartbeat; claims made before an interruption may have been taken over. */
  epoch = 0;
  #validUntil = 0;
  #lastSentAt = 0;
  #beats = 0;
  #isClosed = false;
  #cancel: (() => void) | undefined = undefined;
  #cancelExpiry = (): void => undefined;
  #stops: (() => void)[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** True while no other node can have declared this one dead. */
  get isValid(): boolean {
    return systemClock.monotonic() < this.#validUntil;
  }

  /** Loads the other nodes and sends the first heartbeat; `previousBoots` are processes of this node that have ended. */
  async open(previousBoots: readonly string[]): Promise<void> {
    const { cluster, log } = this.#parts;
    const loaded = new Promise<void>((resolve) => {
      const watch = cluster.records.watch(
        "nodes",
        ({ id, bytes }) => this.#heartbeatReceived(id, bytes),
        () => resolve(),
      );
      this.#stops.push(() => watch.stop());
    });
    await waitForStartStep(log, "the list of nodes", loaded);
    this.#stops.push(cluster.messaging.subscribe(progressTopic, (payload) => this.#progressReceived(decode(payload) as Progress)));
    await waitForStartStep(log, "the removal of the previous session of this node", this.#removeSessions(previousBoots));
    await this.#rejectDuplicateName();
    await waitForStartStep(log, "the first heartbeat of this node", this.#beat());
  }

  /** The live nodes, this one included. */
  live(): readonly Heartbeat[] {
    const { heartbeat: ownHeartbeat, ttlMs, cluster } = this.#parts;
    const oldest = systemClock.monotonic() - ttlMs;
    const others = [...this.#members.values()].filter(({ receivedAt, heartbeat }) => receivedAt > oldest && heartbeat.boot !== cluster.boot);
    return [ownHeartbeat(), ...others.map(({ heartbeat }) => heartbeat)].sort((a, b) => (a.node < b.node ? -1 : 1));
  }

  /** False while this node may not have received the heartbeats of the others, for example after it was suspended. */
  isDead(boot: string): boolean {
    return this.isValid && !this.live().some((node) => node.boot === boot);
  }

  /** Reports the state of this node to the other nodes immediately. */
  publishProgress(): void {
    const { boot, isReady, applied, behind } = this.#parts.heartbeat();
    this.#parts.cluster.messaging.publish(progressTopic, encode({ boot, isReady, applied, behind } satisfies Progress));
    this.wake();
  }

  /** Sends a heartbeat now: the other nodes need its content, also those that are starting, which read heartbeats but receive no messages yet. */
  async sendHeartbeat(): Promise<void> {
    this.#cancel?.();
    await this.#beat();
  }

  /** Resolves when the condition holds for the live nodes, at the latest at `until`. */
  async eventually(holds: (live: readonly Heartbeat[]) => boolean, until: number): Promise<void> {
    while (!holds(this.live()) && systemClock.monotonic() < until)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          cancel();
          this.#waiting.delete(done);
          resolve();
        };
        const cancel = systemClock.after(Math.max(1, Math.min(until - systemClock.monotonic(), retryMs)), done);
        this.#waiting.add(done);
      });
  }

  /** Ends the session, so that the other nodes need not wait for the TTL. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancelExpiry();
    for (const stop of this.#stops) stop();
    const { cluster } = this.#parts;
    if (this.isValid) await cluster.records.write("nodes", cluster.boot, undefined).catch(() => undefined);
    this.#validUntil = 0;
  }

  async #removeSessions(boots: readonly string[]): Promise<void> {
    for (const boot of boots) await this.#parts.cluster.records.write("nodes", boot, undefined);
  }

  /** Two processes with one name would count as one node that restarts repeatedly. */
  async #rejectDuplicateName(): Promise<void> {
    const { cluster, ttlMs, log } = this.#parts;
    const others = (): readonly Member[] =>
      [...this.#members.values()].filter(({ heartbeat }) => heartbeat.node === cluster.node && heartbeat.boot !== cluster.boot);
    const receivedBefore = new Map(others().map(({ heartbeat, receivedAt }) => [heartbeat.boot, receivedAt]));
    if (receivedBefore.size === 0) return;
    log.write("WARN", "sluice.cluster", `A node named '${cluster.node}' is already in the cluster; waiting ${Math.round(ttlMs / 1000)} s for it to expire`);
    for (const until = systemClock.monotonic() + ttlMs; systemClock.monotonic() < until;) {
      if (others().length === 0) return;
      if (others().some(({ heartbeat, receivedAt }) => receivedAt !== receivedBefore.get(heartbeat.boot)))
        throw new SettingsError([`SERVICE_NODE: another process already uses the node name '${cluster.node}' in this cluster: choose a unique name`]);
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
    }
    // The records of ended processes would stay in the store and delay every later start.
    await this.#removeSessions(others().map(({ heartbeat }) => heartbeat.boot));
  }

  async #beat(): Promise<void> {
    const { cluster, ttlMs, heartbeat, log } = this.#parts;
    const number = ++this.#beats;
    const sentAt = systemClock.monotonic();
    let failed = false;
    try {
      await cluster.records.write("nodes", cluster.boot, encode(heartbeat()));
    } catch (error) {
      failed = true;
      if (!this.#isClosed) log.write("WARN", "sluice.cluster", `Heartbeat failed: ${(error as Error).message}`);
    }
    if (this.#isClosed) return;
    const now = systemClock.monotonic();
    // This node received no heartbeats in the meantime, so it must not conclude that the other nodes are dead.
    if (failed || now - this.#lastSentAt > ttlMs / 2) for (const member of this.#members.values()) member.receivedAt = now;
    // A node that is dead must not count as live after the next interruption; its next heartbeat would add it again.
    else for (const [boot, { receivedAt }] of this.#members) if (receivedAt < now - ttlMs) this.#members.delete(boot);
    this.#lastSentAt = now;
    if (!failed) {
      if (now > this.#validUntil) this.epoch++;
      this.#validUntil = sentAt + (ttlMs * 2) / 3;
      this.#cancelExpiry();
      this.#cancelExpiry = systemClock.after(Math.max(0, this.#validUntil - now) + 1, () => this.#parts.expired());
    }
    const next = failed ? retryMs : Math.max(0, ttlMs / 5 - (now - sentAt));
    // A later heartbeat schedules the next one.
    if (number === this.#beats) this.#cancel = systemClock.after(next, () => void this.#beat());
    this.wake();
  }

  #heartbeatReceived(boot: string, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) this.#members.delete(boot);
    else {
      const heartbeat = decode(bytes) as Heartbeat;
      const currentPins = this.#members.get(boot)?.heartbeat.pins;
      // A heartbeat that was written before the pins changed may arrive after the message about the change.
      const pins = currentPins !== undefined && currentPins.version > (heartbeat.pins?.version ?? 0) ? currentPins : heartbeat.pins;
      this.#members.set(boot, { heartbeat: { ...heartbeat, ...(pins === undefined ? {} : { pins }) }, receivedAt: systemClock.monotonic() });
    }
    this.wake();
  }

  /** Called when a node has changed its pins. */
  pinsReceived(boot: string, pins: Pins): void {
    const member = this.#members.get(boot);
    if (member !== undefined && (member.heartbeat.pins?.version ?? 0) < pins.version) member.heartbeat = { ...member.heartbeat, pins };
  }

  #progressReceived({ boot, isReady, applied, behind }: Progress): void {
    const member = this.#members.get(boot);
    if (member === undefined) return;
    member.heartbeat = { ...member.heartbeat, isReady, applied, behind };
    this.wake();
  }

  /** Checks the conditions of all waiting callers. */
  wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
