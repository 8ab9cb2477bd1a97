import { Worker } from "node:worker_threads";
import { StoreError } from "./store-failure.ts";
import { StoreFile } from "./store-file.ts";
import { writeThread, type FromThread, type ThreadSettings, type ToThread } from "./write-thread.ts";

export interface OpenThread {
  readonly thread: Worker;
  /** The file was not closed properly last time. */
  readonly unclean: boolean;
}

/** The program of the thread, which has no access to the modules of the main thread. */
const program = (): string => `
  const { parentPort, workerData } = require("node:worker_threads");
  const file = new (${StoreFile.toString()})(workerData, () => require(workerData.driver));
  (${writeThread.toString()})(parentPort, file);
`;

/** Starts threads that have the store's file open. A thread that failed to open it because of the disk is reused for the next attempt. */
export class WriteThreads {
  readonly #settings: ThreadSettings;
  #idle: Worker | undefined = undefined;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
  }

  /** Rejects with a StoreError when the file cannot be used. */
  async open(isReopened: boolean): Promise<OpenThread> {
    const thread = this.#idle ?? new Worker(program(), { eval: true, workerData: this.#settings, execArgv: [], env: {} });
    this.#idle = undefined;
    try {
      return { thread, unclean: await openInThread(thread, isReopened) };
    } catch (error) {
      if (error instanceof StoreError && error.isDisk) this.#idle = thread;
      else await thread.terminate();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#idle?.terminate();
    this.#idle = undefined;
  }
}

function openInThread(thread: Worker, isReopened: boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.once("message", (message: FromThread) => {
      thread.removeListener("error", reject);
      if (message.kind === "ready") resolve(message.unclean);
      else reject(message.kind === "failed" ? new StoreError(message.error, message.isDisk) : new Error("the writer thread did not start"));
    });
    thread.postMessage({ kind: "open", isReopened } satisfies ToThread);
  });
}
