import { Worker } from "node:worker_threads";
import { driverPath } from "../store/sqlite.ts";
import { StoreFile } from "../store/store-file.ts";
import { SegmentFiles, type SegmentLimits, type Unreadable } from "./segment-files.ts";
import { segmentSchema } from "./segment-schema.ts";
import { segmentThread, type SegmentCalls, type SegmentReply, type SegmentRequest } from "./segment-thread.ts";

export interface SegmentSettings {
  readonly directory: string;
  readonly limits: SegmentLimits;
  now(): number;
  /** Called when a segment cannot be read; once if it is damaged. */
  unreadable(segment: Unreadable): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The program of the thread, which has no access to the modules of the main thread. */
const program = (): string => `
  const { parentPort, workerData } = require("node:worker_threads");
  const { directory, limits, driver, schema } = workerData;
  const load = () => require(driver);
  const StoreFile = ${StoreFile.toString()};
  const SegmentFiles = ${SegmentFiles.toString()};
  const files = new SegmentFiles({
    directory, limits, files: require("node:fs"),
    writer: (path) => new StoreFile({ path, driver, schema }, load),
    reader: (path) => new (load().DatabaseSync)(path, { readOnly: true }),
  });
  (${segmentThread.toString()})(parentPort, files);
`;

/** The segments, in their thread. The thread is started on first use and restarted if it exits. */
export class Segments {
  readonly #settings: SegmentSettings;
  readonly #driver: string;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined = undefined;
  #calls = 0;
  runs = 0;
  bytes = 0;

  /** Throws when this Node has no SQLite. */
  constructor(settings: SegmentSettings) {
    this.#settings = settings;
    this.#driver = driverPath();
  }

  call<K extends keyof SegmentCalls>(name: K, ...values: Parameters<SegmentCalls[K]>): Promise<ReturnType<SegmentCalls[K]>> {
    return this.#post(this.#thread ?? this.#start(), name, values) as Promise<ReturnType<SegmentCalls[K]>>;
  }

  async close(): Promise<void> {
    if (this.#thread === undefined) return;
    const thread = this.#thread;
    await this.#post(thread, "close", []).catch(() => undefined);
    this.#thread = undefined;
    await thread.terminate();
  }

  #start(): Worker {
    const { directory, limits, now } = this.#settings;
    const workerData = { directory, limits, driver: this.#driver, schema: segmentSchema };
    const thread = new Worker(program(), { eval: true, workerData, execArgv: [], env: {} });
    this.#thread = thread;
    thread.on("message", (reply: SegmentReply) => this.#received(reply));
    thread.on("error", (error: Error) => this.#lose(thread, error));
    thread.on("exit", () => this.#lose(thread, new Error("the thread for stored runs exited unexpectedly")));
    // If opening fails, the requests that follow fail too.
    void this.#post(thread, "open", [now()]).catch(() => undefined);
    return thread;
  }

  #post(thread: Worker, name: keyof SegmentCalls, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = ++this.#calls;
      this.#pending.set(call, { resolve, reject });
      thread.postMessage({ call, name, values } satisfies SegmentRequest);
    });
  }

  #received({ call, result, error, unreadable, runs, bytes }: SegmentReply): void {
    this.runs = runs;
    this.bytes = bytes;
    for (const segment of unreadable) this.#settings.unreadable(segment);
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  }

  #lose(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
