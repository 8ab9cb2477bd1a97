// One writer, many callers: what arrives within a moment, or while the previous group is being flushed, is written in one
// transaction. A caller hears back after the commit, never before.
import { Worker } from "node:worker_threads";
import { GroupPacker } from "./pack-group.ts";
import type { Row } from "./sqlite.ts";
import { writeThread, type FromThread, type Operation, type ThreadSettings, type ToThread, type Written } from "./write-thread.ts";

interface Item {
  readonly operations: readonly Operation[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A group waits for company at most this long, and not at all once nobody joins within a turn of the event loop. */
const longestWaitMs = 2;
const enough = 64;
const largestGroup = 512;

export class GroupCommit {
  readonly unclean: boolean;
  readonly #thread: Worker;
  readonly #packer = new GroupPacker();
  #waiting: Item[] = [];
  #flushing: readonly Item[] = [];
  #began = 0;
  #seen = 0;
  #broken: Error | undefined = undefined;
  #closed: (() => void) | undefined = undefined;
  /** Groups and items written so far: their ratio tells how well grouping works. */
  groups = 0;
  items = 0;
  /** Told after each group. */
  onWritten: () => void = () => undefined;

  private constructor(thread: Worker, unclean: boolean) {
    this.#thread = thread;
    this.unclean = unclean;
    thread.on("message", (message: FromThread) => this.#heard(message));
    thread.on("error", (error: Error) => this.#fail(error));
    thread.on("exit", () => this.#fail(new Error("the writing thread ended")));
  }

  /** Starts the thread; rejects when the file cannot be used. */
  static open(settings: ThreadSettings): Promise<GroupCommit> {
    const thread = new Worker(`(${writeThread.toString()})(require)`, { eval: true, workerData: settings, execArgv: [], env: {} });
    return new Promise((resolve, reject) => {
      thread.once("error", reject);
      thread.once("message", (message: FromThread) => {
        thread.removeListener("error", reject);
        if (message.kind === "ready") resolve(new GroupCommit(thread, message.unclean));
        else reject(new Error(message.kind === "failed" ? message.error : "the writing thread did not start"));
      });
    });
  }

  /** Writes the operations in the next transaction, all or none; resolves with the rows they gave back. */
  write(...operations: readonly Operation[]): Promise<readonly Row[]> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, resolve, reject });
      if (this.#waiting.length > 1 || this.#flushing.length > 0) return;
      this.#began = performance.now();
      this.#seen = 0;
      setImmediate(this.#turn);
    });
  }

  /** Folds the log file into the database. */
  tidy(): void {
    this.#send({ kind: "tidy" });
  }

  /** Resolves when everything is written and the file is closed. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#flushing.length > 0) await this.write().catch(() => undefined);
    if (this.#broken !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#send({ kind: "close" });
    });
  }

  readonly #turn = (): void => {
    const count = this.#waiting.length;
    if (count === 0 || this.#flushing.length > 0) return;
    const grows = count > this.#seen && count < enough && performance.now() - this.#began < longestWaitMs;
    this.#seen = count;
    if (grows) setImmediate(this.#turn);
    else this.#flush();
  };

  #flush(): void {
    this.#flushing = this.#waiting.splice(0, largestGroup);
    if (this.#flushing.length === 0) return;
    const group = this.#packer.pack(this.#flushing.map(({ operations }) => operations));
    this.#thread.postMessage(group, [group.bytes.buffer as ArrayBuffer]);
  }

  #send(message: Exclude<ToThread, { kind: "write" }>): void {
    this.#thread.postMessage(message);
  }

  #heard(message: FromThread): void {
    if (message.kind === "closed") return this.#closed?.();
    if (message.kind !== "written") return;
    const items = this.#flushing;
    this.groups++;
    this.items += items.length;
    // The next group goes out first: the disk works while callers are told.
    this.#flush();
    items.forEach((item, index) => settle(item, message.results[index] as Written));
    this.onWritten();
  }

  #fail(error: Error): void {
    this.#broken ??= error;
    const lost = [...this.#flushing, ...this.#waiting];
    this.#flushing = [];
    this.#waiting = [];
    for (const item of lost) item.reject(error);
    this.#closed?.();
  }
}

function settle(item: Item, written: Written): void {
  if ("error" in written) item.reject(new Error(written.error));
  else item.resolve(written.rows);
}
