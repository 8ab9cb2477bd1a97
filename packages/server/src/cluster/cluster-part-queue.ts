// The messages of one aggregate in a queue of the cluster. The node that holds the slot of the flow groups them in memory. They stay in the queue until
// their group has been processed, so the next node groups the remaining ones. A completed group is recorded before it runs, which fixes the messages
// that belong to it: if its node dies, the next one runs the same group again.
import { restorePart, storePart, type StoredMessage } from "@sluice/connectors";
import type { Cluster, Consumption, Exchange, Ids, Log, QueueDelivery } from "@sluice/engine";
import type { GroupRun, PartGroup, PartQueue, PartReceiver, StoredPart } from "@sluice/engine/tools";
import { systemClock } from "../host/clock.ts";
import type { CompletedGroup, GroupLog } from "./group-log.ts";
import { pauseBeforeRetry, repeatUntilStored } from "./repeat.ts";

export interface PartQueueParts {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly ids: Ids;
  readonly groups: GroupLog;
  readonly maxMessageBytes: number;
  /** Maximum number of messages of this aggregate that this node holds at once. */
  readonly maxMessages: number;
  put(queue: string, message: StoredMessage): Promise<void>;
  isDead(boot: string): boolean;
  /** The token of the slot, while this node holds it. */
  token(): number | undefined;
  /** Resolves when the previous version of the flow on this node no longer completes groups. */
  started(parts: ClusterPartQueue): Promise<unknown>;
  stopped(parts: ClusterPartQueue): void;
}

/**
 * The kind of the marker message that a node puts into the queue before it starts to read: when the marker arrives, all earlier messages have been
 * delivered.
 */
const markKind = "mark";
const retryMs = 500;

interface InheritedGroup {
  readonly deliveries: Map<string, QueueDelivery>;
  /** True when its messages have been removed, or are being removed. */
  isOver: boolean;
}

export class ClusterPartQueue implements PartQueue {
  readonly #queue: string;
  readonly #receiver: PartReceiver;
  readonly #parts: PartQueueParts;
  /** The messages of open groups, by id. */
  readonly #open = new Map<string, QueueDelivery>();
  /** The messages of completed groups that this node runs. */
  readonly #running = new Map<string, QueueDelivery>();
  /** Completed groups that were recorded before this node took over, by the id of their record and by the ids of their messages. */
  readonly #inherited = new Map<string, InheritedGroup>();
  readonly #inheritedOf = new Map<string, InheritedGroup>();
  #consumption: Consumption | undefined = undefined;
  #token: number | undefined = undefined;
  #mark = "";
  #isCaughtUp = false;
  #isTakingOver = false;
  #isStopped = false;
  #previous: Promise<unknown> = Promise.resolve();
  #stopped: () => void = () => undefined;
  /** Resolves when groups are no longer completed here. */
  readonly ended = new Promise<void>((resolve) => (this.#stopped = resolve));

  constructor(queue: string, receiver: PartReceiver, parts: PartQueueParts) {
    this.#queue = queue;
    this.#receiver = receiver;
    this.#parts = parts;
  }

  start(): void {
    this.#previous = this.#parts.started(this);
    this.#consumption = this.#parts.cluster.queues.consume(this.#queue, {
      isExclusive: true,
      concurrency: () => (this.#isHeld ? this.#parts.maxMessages : 0),
      keyToken: () => (this.#isHeld ? this.#token : undefined),
      deliver: (delivery) => this.#deliver(delivery),
    });
    this.refresh();
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#receiver.finish();
    this.#leave();
    void this.#consumption?.stop();
    this.#parts.stopped(this);
    this.#stopped();
  }

  async put(key: string | undefined, { message, properties }: Exchange): Promise<void> {
    const { maxMessageBytes, put } = this.#parts;
    await put(this.#queue, storePart(key, message, properties, maxMessageBytes));
  }

  async complete({ key, by, ids }: PartGroup): Promise<GroupRun | undefined> {
    const { cluster, ids: recordIds } = this.#parts;
    const token = this.#token;
    if (token === undefined) return undefined;
    for (const id of ids) this.#markRunning(id, this.#open.get(id));
    const group: CompletedGroup = { queue: this.#queue, token, boot: cluster.boot, key, by, ids, repeated: 0 };
    return this.#begin(`group/${recordIds.next()}`, group);
  }

  discard(ids: readonly string[]): void {
    for (const id of ids) {
      void this.#open.get(id)?.done();
      this.#open.delete(id);
    }
  }

  /** Call when the slots or the groups may have changed. */
  refresh(): void {
    if (this.#isStopped) return;
    const token = this.#parts.token();
    if (token === this.#token) return this.#checkInherited();
    if (this.#token !== undefined) this.#leave();
    if (token !== undefined && !this.#isTakingOver) void this.#takeOver(token);
  }

  get #isHeld(): boolean {
    return !this.#isStopped && this.#token !== undefined && this.#parts.token() === this.#token;
  }

  async #takeOver(token: number): Promise<void> {
    const { cluster, groups, ids, log } = this.#parts;
    this.#isTakingOver = true;
    try {
      await this.#previous;
      await groups.open();
      if (!(await groups.begin(this.#queue, token))) return;
      const mark = ids.next();
      await cluster.queues.put(this.#queue, { kind: markKind, envelope: "{}", body: new Uint8Array() }, { id: mark, key: mark, delayMs: 0 });
      if (this.#isStopped || this.#parts.token() !== token) return;
      this.#mark = mark;
      this.#isCaughtUp = false;
      for (const [id, group] of groups.ofQueue(this.#queue)) this.#inherit(id, group);
      this.#receiver.reset();
      this.#token = token;
      this.#consumption?.refresh();
    } catch (error) {
      log.write("WARN", "sluice.cluster", `Cannot take over '${this.#queue}': ${(error as Error).message}; retrying`);
    } finally {
      this.#isTakingOver = false;
    }
  }

  #inherit(id: string, group: CompletedGroup): void {
    const inherited: InheritedGroup = { deliveries: new Map(), isOver: false };
    this.#inherited.set(id, inherited);
    for (const part of group.ids) this.#inheritedOf.set(part, inherited);
  }

  /** Another node groups the messages from now on. Groups that are already running here are finished here. */
  #leave(): void {
    this.#token = undefined;
    if (!this.#isStopped) this.#receiver.reset();
    for (const delivery of this.#open.values()) delivery.requeue();
    for (const { deliveries } of this.#inherited.values()) for (const delivery of deliveries.values()) delivery.requeue();
    this.#open.clear();
    this.#inherited.clear();
    this.#inheritedOf.clear();
    this.#consumption?.refresh();
  }

  #deliver(delivery: QueueDelivery): void {
    const { id, message } = delivery;
    if (message.kind === markKind) {
      void delivery.done();
      if (id !== this.#mark) return;
      this.#isCaughtUp = true;
      return this.#checkInherited();
    }
    const inherited = this.#inheritedOf.get(id);
    if (inherited?.isOver === true) return void delivery.done();
    if (inherited !== undefined) return void inherited.deliveries.set(id, delivery);
    // Redelivered after an interruption: its group is running or being recorded here.
    if (this.#running.has(id)) return void systemClock.after(retryMs, () => delivery.requeue());
    this.#open.set(id, delivery);
    try {
      this.#receiver.receive(partOf(delivery));
    } catch (error) {
      this.#parts.log.write("ERROR", "sluice.cluster", `Removed message ${id} from '${this.#queue}': ${(error as Error).message}`);
      this.discard([id]);
    }
  }

  #checkInherited(): void {
    const { groups, cluster, isDead } = this.#parts;
    for (const [id, inherited] of this.#inherited) {
      const group = groups.get(id);
      if (group === undefined) void this.#settleInherited(id, inherited);
      else if (this.#isCaughtUp && group.boot !== cluster.boot && isDead(group.boot)) {
        // Messages are removed after the run. If some are missing, the run has ended, and its node died while it removed them.
        if (inherited.deliveries.size < group.ids.length) void this.#settleInherited(id, inherited).then(() => repeatUntilStored(() => groups.remove(id)));
        else this.#rerun(id, group, inherited.deliveries);
      }
    }
  }

  async #settleInherited(id: string, inherited: InheritedGroup): Promise<void> {
    inherited.isOver = true;
    this.#inherited.delete(id);
    await Promise.all([...inherited.deliveries.values()].map((delivery) => delivery.done()));
  }

  #rerun(id: string, group: CompletedGroup, deliveries: ReadonlyMap<string, QueueDelivery>): void {
    const token = this.#token;
    if (token === undefined) return;
    this.#inherited.delete(id);
    for (const part of group.ids) this.#markRunning(part, deliveries.get(part));
    const parts = group.ids.map((part) => partOf(deliveries.get(part) as QueueDelivery));
    void this.#begin(id, { ...group, token, boot: this.#parts.cluster.boot, repeated: group.repeated + 1 }).then((run) => {
      if (run !== undefined) this.#receiver.rerun(group, parts, run);
    });
  }

  #markRunning(id: string, delivery: QueueDelivery | undefined): void {
    this.#open.delete(id);
    this.#inheritedOf.delete(id);
    if (delivery !== undefined) this.#running.set(id, delivery);
  }

  /** Records a group that is about to run. */
  async #begin(id: string, group: CompletedGroup): Promise<GroupRun | undefined> {
    const { groups, log } = this.#parts;
    for (;;)
      try {
        if (await groups.write(id, group)) return this.#runOf(id, group);
        break;
      } catch (error) {
        if (!this.#isHeld) break;
        log.write("WARN", "sluice.cluster", `Cannot record a completed group of '${this.#queue}': ${(error as Error).message}; retrying`);
        await pauseBeforeRetry();
      }
    // Another node groups these messages. The record may have been stored nevertheless.
    for (const delivery of this.#removeRunning(group.ids)) delivery.requeue();
    void repeatUntilStored(() => (group.repeated > 0 ? groups.abandon(id, group) : groups.remove(id)));
    return undefined;
  }

  #runOf(id: string, group: CompletedGroup): GroupRun {
    const { groups } = this.#parts;
    return {
      repeated: group.repeated,
      done: () => {
        const removed = this.#removeRunning(group.ids).map((delivery) => delivery.done());
        void Promise.all(removed).then(() => repeatUntilStored(() => groups.remove(id)));
      },
      rerun: () => {
        for (const delivery of this.#removeRunning(group.ids)) delivery.requeue();
        void repeatUntilStored(() => groups.abandon(id, group));
      },
    };
  }

  #removeRunning(ids: readonly string[]): readonly QueueDelivery[] {
    const deliveries = ids.flatMap((id) => this.#running.get(id) ?? []);
    for (const id of ids) this.#running.delete(id);
    return deliveries;
  }
}

const partOf = ({ id, message }: QueueDelivery): StoredPart => ({ id, ...restorePart(message as StoredMessage) });
