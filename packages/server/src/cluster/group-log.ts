// The completed groups of aggregates that are being processed, in the order in which they were completed. Before a node groups the messages of a queue,
// it writes the token of its slot. A group that a node with an older token writes later is void: every node reads the same order, so the node that
// wrote it learns this before it runs the group, and no message is in two groups.
import { createHash } from "node:crypto";
import type { Cluster, Log, RecordVersion } from "@sluice/engine";
import type { RecordCipher } from "./record-cipher.ts";

export interface CompletedGroup {
  readonly queue: string;
  /** The slot token of the node that completed it. */
  readonly token: number;
  /** The boot id of the process that runs it; empty if none does. */
  readonly boot: string;
  readonly key: string;
  readonly by: string;
  readonly ids: readonly string[];
  /** How often it was started before. */
  readonly repeated: number;
}

interface Epoch {
  readonly queue: string;
  readonly token: number;
}

const collection = "groups";
const epochPrefix = "epoch/";

export class GroupLog {
  readonly #cluster: Cluster;
  readonly #cipher: RecordCipher;
  readonly #log: Log;
  readonly #groups = new Map<string, CompletedGroup>();
  /** Groups that were written after their queue had a newer token. */
  readonly #void = new Map<string, CompletedGroup>();
  readonly #epochs = new Map<string, number>();
  readonly #changed: (queue: string) => void;
  #opened: Promise<void> | undefined = undefined;
  #stop: (() => void) | undefined = undefined;

  constructor(cluster: Cluster, cipher: RecordCipher, log: Log, changed: (queue: string) => void) {
    this.#cluster = cluster;
    this.#cipher = cipher;
    this.#log = log;
    this.#changed = changed;
  }

  /** Resolves when all existing groups have been read. */
  open(): Promise<void> {
    this.#opened ??= new Promise<void>((resolve) => {
      const watch = this.#cluster.records.watch(
        collection,
        (change) => this.#apply(change),
        () => resolve(),
      );
      this.#stop = () => watch.stop();
    });
    return this.#opened;
  }

  close(): void {
    this.#stop?.();
  }

  /** Begins to group the messages of a queue; false when a node with a newer token does. */
  async begin(queue: string, token: number): Promise<boolean> {
    if ((this.#epochs.get(queue) ?? 0) > token) return false;
    // Removed before the token is replaced: a node that starts later needs the old token to recognize void groups.
    for (const [id, group] of this.#void) if (group.queue === queue) await this.remove(id);
    await this.#write(`${epochPrefix}${createHash("sha256").update(queue).digest("hex")}`, { queue, token } satisfies Epoch);
    return this.#epochs.get(queue) === token;
  }

  /** Records a group; false when it is void. */
  async write(id: string, group: CompletedGroup): Promise<boolean> {
    await this.#write(id, group);
    return this.#groups.get(id)?.boot === group.boot && this.#epochs.get(group.queue) === group.token;
  }

  /** Marks a group as not running, so that the node that groups the messages of its queue runs it. */
  async abandon(id: string, group: CompletedGroup): Promise<void> {
    await this.#write(id, { ...group, boot: "", token: this.#epochs.get(group.queue) ?? group.token });
  }

  async remove(id: string): Promise<void> {
    await this.#cluster.records.write(collection, id, undefined);
  }

  get(id: string): CompletedGroup | undefined {
    return this.#groups.get(id);
  }

  ofQueue(queue: string): readonly (readonly [string, CompletedGroup])[] {
    return [...this.#groups].filter(([, group]) => group.queue === queue);
  }

  /** Encrypted, because the keys of groups are message data. */
  async #write(id: string, content: CompletedGroup | Epoch): Promise<void> {
    await this.#cluster.records.write(collection, id, this.#cipher.encrypt(id, Buffer.from(JSON.stringify(content))));
  }

  /** Must not throw: the watch would deliver the same record again and again, and no aggregate would start. */
  #apply({ id, bytes }: RecordVersion): void {
    let content: CompletedGroup | undefined;
    try {
      content = bytes && (JSON.parse(Buffer.from(this.#cipher.decrypt(id, bytes)).toString()) as CompletedGroup);
    } catch (error) {
      return this.#log.write("ERROR", "sluice.cluster", `Cannot read the group '${id}' of an aggregate: ${(error as Error).message}`);
    }
    const queue = content === undefined ? this.#removeEntry(id) : this.#addEntry(id, content);
    if (queue !== undefined) this.#changed(queue);
  }

  #removeEntry(id: string): string | undefined {
    const group = this.#groups.get(id) ?? this.#void.get(id);
    this.#groups.delete(id);
    this.#void.delete(id);
    return group?.queue;
  }

  #addEntry(id: string, content: CompletedGroup): string {
    const { queue, token } = content;
    const newest = this.#epochs.get(queue) ?? 0;
    if (id.startsWith(epochPrefix)) this.#epochs.set(queue, Math.max(newest, token));
    else if (token >= newest) this.#groups.set(id, content);
    else if (!this.#groups.has(id)) this.#void.set(id, content);
    // The node abandoned a valid group.
    else if (content.boot === "") this.#groups.set(id, content);
    return queue;
  }
}
