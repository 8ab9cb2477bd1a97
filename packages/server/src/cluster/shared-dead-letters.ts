// The dead letters of a cluster. Every node has the index in memory; the messages stay in the store and are read when they are shown or replayed.
import type { Failure, StoredMessage } from "@sluice/connectors";
import { storedSize } from "@sluice/connectors";
import { FlowError, isClusterError, type Cluster, type Ids, type Log } from "@sluice/engine";
import type { DeadLetterSource, DeadLetterStore } from "../dead-letters/dead-letter-store.ts";
import {
  truncateFailure,
  searchText,
  type DeadLetter,
  type DeadLetterMetadata,
  type DeadLetterFilter,
  type DeadLetterSummary,
} from "../store/dead-letter-table.ts";
import { claimForProcess } from "./claim-for-process.ts";
import { decodeDeadLetterMessages, encodeDeadLetterMessages } from "./dead-letter-messages.ts";
import type { RecordCipher } from "./record-cipher.ts";
import { storeServiceError } from "./store-service-error.ts";

/** Characters of the body, the headers and the error that a search finds. The limit is lower than on disk, because every node has all of them in memory. */
const searchedLength = 1_024;
/** Number of dead letters that are removed from the store at a time. */
const deleteBatchSize = 16;

const index = "dead-letters";
const contents = "dead-letter-messages";

/** A dead letter in the index that every node has. */
interface IndexEntry extends DeadLetterSummary {
  readonly search: string;
}

export interface SharedDeadLetterParts {
  readonly cluster: Cluster;
  readonly cipher: RecordCipher;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly deadLetters: number; readonly deadLetterBytes: number };
  isDead(boot: string): boolean;
}

export class SharedDeadLetters implements DeadLetterStore, DeadLetterSource {
  readonly #parts: SharedDeadLetterParts;
  readonly #entries = new Map<string, IndexEntry>();
  #bytes = 0;
  #caughtUp: Promise<void> | undefined = undefined;
  #stop = (): void => undefined;
  #isShrinking = false;

  constructor(parts: SharedDeadLetterParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the index is complete. */
  async open(): Promise<DeadLetterStore> {
    this.#caughtUp ??= new Promise((resolve) => {
      const watch = this.#parts.cluster.records.watch(
        index,
        ({ id, bytes }) => this.#changed(id, bytes),
        () => resolve(),
      );
      this.#stop = () => watch.stop();
    });
    await this.#caughtUp;
    return this;
  }

  openExisting(): Promise<DeadLetterStore> {
    return this.open();
  }

  close(): void {
    this.#stop();
  }

  add(message: StoredMessage, metadata: DeadLetterMetadata): Promise<string> {
    return this.store(this.#parts.ids.next(), message, metadata);
  }

  /** Stores a dead letter under this id; storing it again replaces it. */
  async store(id: string, message: StoredMessage, { route, runId, attempts, failure, source, input }: DeadLetterMetadata): Promise<string> {
    await this.#put(
      {
        id,
        at: Date.now(),
        routeId: route.id,
        flowId: route.flowId,
        flowHash: route.flowHash,
        runId,
        source,
        attempts,
        replayedAt: undefined,
        failure: truncateFailure(failure),
        size: storedSize(message) + (input === undefined ? 0 : storedSize(input)),
        node: this.#parts.cluster.node,
        search: searchText(message, failure, searchedLength),
      },
      { message, input },
    ).catch((error: unknown) => {
      throw new FlowError("java.io.IOException", `cannot store the dead letter: ${(error as Error).message}`, {
        code: isClusterError(error) && error.kind === "too-large" ? "message-not-storable" : "store-failed",
        retryable: !isClusterError(error) || error.kind !== "too-large",
        cause: error,
      });
    });
    return id;
  }

  async recordFailedReplay(id: string, failure: Failure, runId: string | undefined): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const changed = { ...entry, attempts: entry.attempts + 1, replayedAt: Date.now(), failure: truncateFailure(failure), runId: runId ?? entry.runId };
    await this.#withServiceErrors(() => this.#writeEntry(changed));
  }

  list(filter: DeadLetterFilter, limit: number): { readonly letters: readonly DeadLetterSummary[]; readonly total: number } {
    const matching = this.#matching(filter).toReversed();
    return { letters: matching.slice(0, limit), total: matching.length };
  }

  oldestIds(filter: DeadLetterFilter, limit: number): readonly string[] {
    return this.#matching(filter)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async find(id: string): Promise<DeadLetter | undefined> {
    return this.#withServiceErrors(async () => {
      const entry = this.#entries.get(id) ?? (await this.#readEntry(id));
      const stored = entry && (await this.#parts.cluster.records.read(contents, id));
      if (entry === undefined || stored?.bytes === undefined) return undefined;
      return { ...entry, ...decodeDeadLetterMessages(this.#parts.cipher.decrypt(`${contents}/${id}`, stored.bytes)) };
    });
  }

  async remove(id: string): Promise<boolean> {
    return this.#withServiceErrors(async () => {
      if (!this.#entries.has(id) && (await this.#readEntry(id)) === undefined) return false;
      await this.#delete(id);
      return true;
    });
  }

  async removeAll(filter: DeadLetterFilter): Promise<number> {
    const ids = this.#matching(filter).map(({ id }) => id);
    await this.#withServiceErrors(() => this.#deleteAll(ids));
    return ids.length;
  }

  async reserve(id: string): Promise<(() => Promise<void>) | undefined> {
    const { cluster, isDead } = this.#parts;
    return this.#withServiceErrors(async () => {
      const claim = await claimForProcess(cluster, "hour", `replay/${id}`, isDead);
      return claim.won ? () => cluster.claims.release(claim).catch(() => undefined) : undefined;
    });
  }

  /** Moves the dead letters that this runtime stored before it joined the cluster. */
  async takeOver(table: DeadLetterStore): Promise<void> {
    for (const id of table.oldestIds({}, table.count)) {
      const letter = await table.find(id);
      if (letter === undefined) continue;
      const { message, input, ...summary } = letter;
      await this.#put({ ...summary, node: this.#parts.cluster.node, search: searchText(message, summary.failure, searchedLength) }, { message, input });
      await table.remove(id);
    }
  }

  /** The index is written last, so that it never names a message that is not stored. */
  async #put(entry: IndexEntry, messages: Pick<DeadLetter, "message" | "input">): Promise<void> {
    const { cluster, cipher } = this.#parts;
    await cluster.records.write(contents, entry.id, cipher.encrypt(`${contents}/${entry.id}`, encodeDeadLetterMessages(messages)));
    await this.#writeEntry(entry);
    // The limits apply to all dead letters of the cluster, so this node must know them.
    void this.open().then(() => this.#shrink());
  }

  async #writeEntry(entry: IndexEntry): Promise<void> {
    const { cluster, cipher } = this.#parts;
    await cluster.records.write(index, entry.id, cipher.encrypt(`${index}/${entry.id}`, Buffer.from(JSON.stringify(entry))));
  }

  async #readEntry(id: string): Promise<IndexEntry | undefined> {
    const found = await this.#parts.cluster.records.read(index, id);
    return found?.bytes && this.#decode(id, found.bytes);
  }

  #decode(id: string, bytes: Uint8Array): IndexEntry {
    return JSON.parse(Buffer.from(this.#parts.cipher.decrypt(`${index}/${id}`, bytes)).toString()) as IndexEntry;
  }

  async #delete(id: string): Promise<void> {
    const { records } = this.#parts.cluster;
    await records.write(index, id, undefined);
    await records.write(contents, id, undefined);
  }

  async #deleteAll(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += deleteBatchSize) await Promise.all(ids.slice(at, at + deleteBatchSize).map((id) => this.#delete(id)));
  }

  #changed(id: string, bytes: Uint8Array | undefined): void {
    this.#bytes -= this.#entries.get(id)?.size ?? 0;
    this.#entries.delete(id);
    if (bytes === undefined) return;
    try {
      const entry = this.#decode(id, bytes);
      this.#entries.set(id, entry);
      this.#bytes += entry.size;
    } catch (error) {
      this.#parts.log.write("ERROR", "sluice.dead-letters", `Cannot read the dead letter '${id}': ${(error as Error).message}`);
    }
  }

  /** Oldest first. */
  #matching({ id, routeId, flowId, since, until, text }: DeadLetterFilter): IndexEntry[] {
    const searched = text?.toLowerCase();
    return [...this.#entries.values()]
      .filter(
        (entry) =>
          (id === undefined || entry.id === id) &&
          (routeId === undefined || entry.routeId === routeId) &&
          (flowId === undefined || entry.flowId === flowId) &&
          (since === undefined || entry.at >= since) &&
          (until === undefined || entry.at <= until) &&
          (searched === undefined || entry.search.includes(searched)),
      )
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }

  /** Above a limit, removes the oldest until the number and the bytes are one percent below their limits. Other nodes may remove the same ones. */
  async #shrink(): Promise<void> {
    const { limits, log } = this.#parts;
    if (this.#isShrinking || (this.count <= limits.deadLetters && this.bytes <= limits.deadLetterBytes)) return;
    this.#isShrinking = true;
    const ids: string[] = [];
    let [count, bytes] = [this.count, this.bytes];
    for (const { id, size } of this.#matching({})) {
      if (count <= 1 || (count <= limits.deadLetters * 0.99 && bytes <= limits.deadLetterBytes * 0.99)) break;
      ids.push(id);
      count--;
      bytes -= size;
    }
    try {
      await this.#deleteAll(ids);
      log.write(
        "WARN",
        "sluice.dead-letters",
        `Removed the oldest dead letters (${ids.length}): the limit is ${limits.deadLetters} dead letters (SERVICE_DEAD_LETTERS) ` +
          `and ${limits.deadLetterBytes} bytes (SERVICE_DEAD_LETTER_BYTES)`,
      );
    } catch (error) {
      log.write("ERROR", "sluice.dead-letters", `Cannot remove the oldest dead letters: ${(error as Error).message}`);
    } finally {
      this.#isShrinking = false;
    }
  }

  async #withServiceErrors<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw storeServiceError(error);
    }
  }
}
