// Group commit: writes that arrive within a short time, or while the previous group is being committed, share one transaction. A
// write resolves after its commit. When the disk fails, writes are still attempted, and a probe detects when it works again.
import type { Worker } from "node:worker_threads";
import { GroupPacker, bytesOf } from "./pack-group.ts";
import type { Row } from "./sqlite.ts";
import { StoreError } from "./store-failure.ts";
import type { WriteFailure, FromThread, Operation, WriteResult } from "./write-thread.ts";
import type { WriteThreads } from "./write-threads.ts";

interface Item {
  readonly operations: readonly Operation[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitSettings {
  readonly threads: WriteThreads;
  /** Why new messages cannot be stored; undefined when there is enough space. */
  noSpaceReason(): string | undefined;
}

/** Why writes currently fail. */
export interface StoreProblem {
  readonly error: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

interface Failing extends StoreProblem {
  /** The largest failed write: the store has recovered when this many bytes can be written. */
  readonly bytes: number;
}

/** Maximum wait for more writes. A group is committed earlier if none arrives within one event loop turn. */
const maxWaitMs = 2;
const fullGroupSize = 64;
const maxGroupSize = 512;
/** How often a failing disk is probed. */
const probeMs = 100;

export class GroupCommit {
  readonly unclean: boolean;
  readonly #settings: CommitSettings;
  #thread: Worker | undefined = undefined;
  #packer = new GroupPacker();
  #waiting: Item[] = [];
  #flushing: readonly Item[] = [];
  #waitStartedAt = 0;
  #lastCount = 0;
  #failing: Failing | undefined = undefined;
  #probing: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;
  #closed: (() => void) | undefined = undefined;
  /** Groups and items written so far; their ratio shows how well grouping works. */
  groups = 0;
  items = 0;
  /** Called after each group. */
  onWritten: () => void = () => undefined;
  /** Called when writes start to fail, and with undefined when they succeed again. */
  onProblem: (problem: StoreProblem | undefined) => void = () => undefined;

  private constructor(settings: CommitSettings, thread: Worker, unclean: boolean) {
    this.#settings = settings;
    this.unclean = unclean;
    this.#attach(thread);
  }

  /** Starts the thread; rejects with a StoreError when the file cannot be used. */
  static async open(settings: CommitSettings): Promise<GroupCommit> {
    const { thread, unclean } = await settings.threads.open(false);
    return new GroupCommit(settings, thread, unclean);
  }

  get problem(): StoreProblem | undefined {
    if (this.#failing !== undefined) return this.#failing;
    const error = this.#settings.noSpaceReason();
    if (error !== undefined) this.#recordFailure(error, 0);
    return this.#failing;
  }

  /** Adds the operations to the next transaction, all or none; resolves with the returned rows. */
  write(...operations: readonly Operation[]): Promise<readonly Row[]> {
    if (this.#isClosed) return Promise.reject(new StoreError("the durable store is closed", false));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, resolve, reject });
      if (this.#waiting.length > 1 || this.#flushing.length > 0) return;
      this.#waitStartedAt = performance.now();
      this.#lastCount = 0;
      setImmediate(this.#onTurn);
    });
  }

  /** Checkpoints the write-ahead log and releases free pages. */
  compact(): void {
    this.#thread?.postMessage({ kind: "compact" });
  }

  /** Resolves when everything is written and the file is closed. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#flushing.length > 0) await this.write().catch(() => undefined);
    this.#isClosed = true;
    clearTimeout(this.#probing);
    if (this.#thread === undefined) return;
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#thread?.postMessage({ kind: "close" });
    });
  }

  readonly #onTurn = (): void => {
    const count = this.#waiting.length;
    if (count === 0 || this.#flushing.length > 0) return;
    const isGrowing = count > this.#lastCount && count < fullGroupSize && performance.now() - this.#waitStartedAt < maxWaitMs;
    this.#lastCount = count;
    if (isGrowing) setImmediate(this.#onTurn);
    else this.#flush();
  };

  #flush(): void {
    while (this.#flushing.length === 0 && this.#waiting.length > 0) this.#flushing = this.#admit(this.#waiting.splice(0, maxGroupSize));
    if (this.#flushing.length === 0) return;
    const group = this.#packer.pack(this.#flushing.map(({ operations }) => operations));
    this.#thread?.postMessage(group, [group.bytes.buffer as ArrayBuffer]);
  }

  /** The items that can be written now; the others are rejected. */
  #admit(items: readonly Item[]): readonly Item[] {
    const isLost = this.#thread === undefined;
    const error = isLost ? (this.#failing?.error ?? "the writer thread exited unexpectedly") : this.#settings.noSpaceReason();
    if (error === undefined) return items;
    const rejected = isLost ? items : items.filter(({ operations }) => operations.some(({ isNewMessage }) => isNewMessage === true));
    if (rejected.length > 0) this.#recordFailure(error, 0);
    for (const item of rejected) item.reject(new StoreError(error, true));
    return isLost ? [] : items.filter((item) => !rejected.includes(item));
  }

  #attach(thread: Worker): void {
    this.#thread = thread;
    this.#packer = new GroupPacker();
    thread.on("message", (message: FromThread) => this.#received(message));
    thread.on("error", (error: Error) => this.#lose(thread, error));
    thread.on("exit", () => this.#lose(thread, new Error("the writer thread exited unexpectedly")));
  }

  #received(message: FromThread): void {
    if (message.kind === "closed") return this.#closed?.();
    if (message.kind === "probed") return this.#probed(message.failed);
    if (message.kind === "compacted") return message.failed === undefined ? undefined : this.#recordFailure(message.failed.error, 0);
    if (message.kind !== "written") return;
    const items = this.#flushing;
    this.#flushing = [];
    this.groups++;
    this.items += items.length;
    // Send the next group first, so that the disk works while the callers continue.
    this.#flush();
    items.forEach((item, index) => this.#settle(item, message.results[index] as WriteResult));
    this.onWritten();
  }

  #settle(item: Item, written: WriteResult): void {
    if (!("error" in written)) return item.resolve(written.rows);
    if (written.isDisk) this.#recordFailure(written.error, bytesOf(item.operations));
    item.reject(new StoreError(written.error, written.isDisk));
  }

  #recordFailure(error: string, bytes: number): void {
    const previous = this.#failing;
    this.#failing = { error, since: previous?.since ?? Date.now(), bytes: Math.max(previous?.bytes ?? 0, bytes) };
    if (previous === undefined) this.onProblem(this.#failing);
    this.#probeLater();
  }

  #probeLater(): void {
    if (this.#isClosed) return;
    this.#probing ??= setTimeout(() => {
      this.#probing = undefined;
      if (this.#thread === undefined) void this.#restart();
      else this.#thread.postMessage({ kind: "probe", bytes: this.#failing?.bytes ?? 0 });
    }, probeMs).unref();
  }

  #probed(failed: WriteFailure | undefined): void {
    const error = failed?.error ?? this.#settings.noSpaceReason();
    if (error !== undefined) return this.#recordFailure(error, 0);
    this.#failing = undefined;
    this.onProblem(undefined);
  }

  /** The thread exited. Whether its writes were committed is unknown, so they are reported as failed. */
  #lose(thread: Worker, { message }: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#closed?.();
    if (this.#isClosed) return;
    this.#recordFailure(message, 0);
    const pending = [...this.#flushing, ...this.#waiting.splice(0)];
    this.#flushing = [];
    for (const item of pending) item.reject(new StoreError(message, true));
  }

  async #restart(): Promise<void> {
    try {
      const { thread } = await this.#settings.threads.open(true);
      this.#attach(thread);
      if (this.#isClosed) thread.postMessage({ kind: "close" });
      else this.#probeLater();
    } catch (error) {
      this.#recordFailure((error as Error).message, 0);
    }
  }
}
