// The configuration of the cluster on this node. Changes are applied one at a time, in the order of their revisions; `records` contains the applied
// ones. A checked write succeeds only if this node has applied every earlier change, so that the checks before it are still valid.
import { ClusterError, isClusterError, type Cluster, type RecordVersion, type Revision } from "@sluice/engine";
import { createKeyedMutex } from "@sluice/engine/tools";
import { systemClock } from "../host/clock.ts";
import { storeServiceError } from "./store-service-error.ts";
import type { RecordCipher } from "./record-cipher.ts";

/** Applies the current content of a record. Must not reject. */
export type ApplyChange = (id: string) => Promise<void>;

/** How long a node whose write was rejected waits for the conflicting change. */
const catchUpMs = 2_000;

interface ConfigListener {
  /** This node has applied a change of another node. */
  applied(): void;
  /** This node has written a change. */
  written(id: string): void;
}

export class ReplicatedConfig {
  /** The decrypted records. For a record that cannot be decrypted, the last readable version. */
  readonly records = new Map<string, RecordVersion>();
  /** Records that this node cannot decrypt, with the reason. */
  readonly unreadable = new Map<string, string>();
  /** The last revision that this node has applied. */
  applied = 0;
  /** The last revision that this node has received. */
  head = 0;
  /** The last revision that this node wrote. */
  ownRevision = 0;
  readonly #cluster: Cluster;
  readonly #cipher: RecordCipher;
  readonly #listener: ConfigListener;
  readonly #writes = createKeyedMutex();
  readonly #waiting = new Set<() => void>();
  #queue: RecordVersion[] = [];
  #watch: { stop(): void } | undefined = undefined;
  #apply: ApplyChange | undefined = undefined;
  #isLoaded = false;
  #isApplying = false;
  #isWriting = false;

  constructor(cluster: Cluster, cipher: RecordCipher, listener: ConfigListener) {
    this.#cluster = cluster;
    this.#cipher = cipher;
    this.#listener = listener;
  }

  /** Whether the store receives only encrypted records, so that they may contain secrets. */
  get encrypts(): boolean {
    return this.#cipher.encrypts;
  }

  /** Resolves when this node has the whole configuration. */
  load(): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = this.#cluster.records.watch(
        "config",
        (change) => this.#received(change),
        (head) => {
          this.applied = this.head = head;
          this.#isLoaded = true;
          resolve();
        },
      );
    });
  }

  /** Applies changes of other nodes from now on. */
  follow(apply: ApplyChange): void {
    this.#apply = apply;
    void this.#pump();
  }

  stop(): void {
    this.#watch?.stop();
    this.#apply = undefined;
  }

  /** Resolves when every received change is applied, or after a timeout. */
  async catchUp(): Promise<void> {
    const until = systemClock.monotonic() + catchUpMs;
    while (this.applied < this.head && systemClock.monotonic() < until) await this.#nextEvent(until);
  }

  /** Waits until this node has applied a revision; resolves with false on timeout. */
  async waitForRevision(revision: number, until: number): Promise<boolean> {
    while (this.applied < revision && systemClock.monotonic() < until) await this.#nextEvent(until);
    return this.applied >= revision;
  }

  /** Rejects when the store does not respond: the running version must not be replaced by one that cannot be stored. */
  async assertReachable(): Promise<void> {
    try {
      await this.#cluster.records.read("config", "none");
    } catch (error) {
      throw storeServiceError(isClusterError(error) ? new ClusterError("unreachable", error.message, { cause: error }) : error);
    }
  }

  /** Writes a change that this node has already checked and applied, unless another node wrote a change first. `undefined` deletes the record. */
  write(id: string, bytes: Uint8Array | undefined): Promise<Revision> {
    return this.#writes.run("config", async () => {
      const expected = this.applied;
      if (this.#isApplying || this.#queue.length > 0) throw storeServiceError(new ClusterError("conflict", "a change is being applied"));
      this.#isWriting = true;
      try {
        const written = await this.#cluster.records.write("config", id, this.#encrypted(id, bytes), { head: expected });
        // The watch of this node reported the change before the write resolved.
        this.#queue = this.#queue.filter(({ revision }) => revision !== written.revision);
        this.#set({ id, bytes, ...written });
        this.applied = written.revision;
        this.ownRevision = written.revision;
        this.#listener.written(id);
        return written;
      } catch (error) {
        if (isClusterError(error) && error.kind === "conflict") await this.#waitForChange(expected);
        throw storeServiceError(error);
      } finally {
        this.#isWriting = false;
        this.#signal();
        void this.#pump();
      }
    });
  }

  /** Writes a record without a conflict check: the last write wins. */
  async put(id: string, bytes: Uint8Array | undefined): Promise<Revision> {
    try {
      const written = await this.#cluster.records.write("config", id, this.#encrypted(id, bytes));
      if ((this.records.get(id)?.revision ?? 0) < written.revision) this.#set({ id, bytes, ...written });
      this.ownRevision = Math.max(this.ownRevision, written.revision);
      return written;
    } catch (error) {
      throw storeServiceError(error);
    }
  }

  #received(change: RecordVersion): void {
    this.head = change.revision;
    if (this.#isLoaded) this.#queue.push(change);
    else this.#setReadable(change);
    this.#signal();
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#isApplying) return;
    this.#isApplying = true;
    for (; this.#apply !== undefined && !this.#isWriting;) {
      const change = this.#queue[0];
      if (change === undefined) break;
      this.#setReadable(change);
      await this.#apply(change.id);
      this.#queue.shift();
      this.applied = change.revision;
      this.#listener.applied();
      this.#signal();
    }
    this.#isApplying = false;
  }

  /** The versions of a record that this node can decrypt, newest first. */
  async versions(id: string): Promise<readonly RecordVersion[]> {
    const records = await this.#cluster.records.versions("config", id);
    return records.flatMap((record) => {
      try {
        return [this.#decrypted(record)];
      } catch {
        return [];
      }
    });
  }

  /** If a change cannot be decrypted, the previous version stays in use. */
  #setReadable(change: RecordVersion): void {
    try {
      this.#set(this.#decrypted(change));
    } catch (error) {
      this.unreadable.set(change.id, (error as Error).message);
    }
  }

  #set(change: RecordVersion): void {
    this.unreadable.delete(change.id);
    if (change.bytes === undefined) this.records.delete(change.id);
    else this.records.set(change.id, change);
  }

  #encrypted(id: string, bytes: Uint8Array | undefined): Uint8Array | undefined {
    return bytes === undefined ? undefined : this.#cipher.encrypt(id, bytes);
  }

  #decrypted(record: RecordVersion): RecordVersion {
    return record.bytes === undefined ? record : { ...record, bytes: this.#cipher.decrypt(record.id, record.bytes) };
  }

  /** Waits for the conflicting change that another node wrote first. */
  async #waitForChange(head: number): Promise<void> {
    const until = systemClock.monotonic() + catchUpMs;
    while (this.head <= head && systemClock.monotonic() < until) await this.#nextEvent(until);
  }

  #nextEvent(until: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = systemClock.after(Math.max(1, until - systemClock.monotonic()), done);
      this.#waiting.add(done);
    });
  }

  #signal(): void {
    for (const done of [...this.#waiting]) done();
  }
}
