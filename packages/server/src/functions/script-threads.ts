// Threads for scripts: each runs one at a time. One that does not answer in time is ended and replaced, so that neither an endless
// loop nor a builtin that takes hours can hold anybody else up.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { FlowError } from "@sluice/engine";
import { runScript, type ScriptLimits, type ScriptOutcome, type ScriptThreads } from "@sluice/standard";
import { scriptThread, type ScriptJob, type ThreadSettings } from "./script-thread.ts";

const limits: ScriptLimits = { timeLimitMs: 1_000, memoryLimitBytes: 64 * 1024 * 1024, stackLimitBytes: 256 * 1024 };
/** What a script may take longer than its limit, when a builtin cannot be interrupted, before its thread is ended. */
const graceMs = 500;
const threadCount = 2;
const waitingLimit = 1_000;

interface Task {
  readonly job: ScriptJob;
  readonly resolve: (outcome: ScriptOutcome) => void;
}

interface Thread {
  readonly worker: Worker;
  ready: boolean;
  task: Task | undefined;
  overdue: NodeJS.Timeout | undefined;
}

export function scriptThreads(): ScriptThreads {
  const waiting: Task[] = [];
  const threads = new Set<Thread>();

  function next(): void {
    if (waiting.length > 0 && threads.size < threadCount && ![...threads].some((thread) => !thread.ready)) start();
    for (const thread of threads) {
      if (!thread.ready || thread.task !== undefined) continue;
      const task = waiting.shift();
      if (task === undefined) return;
      thread.task = task;
      thread.worker.postMessage(task.job);
      thread.overdue = setTimeout(() => {
        end(thread, { fault: "time", detail: `${limits.timeLimitMs}` });
        void thread.worker.terminate();
      }, limits.timeLimitMs + graceMs);
    }
  }

  function start(): void {
    const { resolve } = createRequire(import.meta.url);
    const settings: ThreadSettings = { core: resolve("quickjs-emscripten-core"), variant: resolve("@jitl/quickjs-wasmfile-release-sync"), limits };
    const worker = new Worker(`(${scriptThread.toString()})(require, ${runScript.toString()})`, {
      eval: true,
      workerData: settings,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    });
    const thread: Thread = { worker, ready: false, task: undefined, overdue: undefined };
    threads.add(thread);
    // A waiting thread keeps no process alive; one at work is awaited by the run it works for.
    worker.unref();
    worker.on("message", (message: ScriptOutcome | "ready") => {
      if (message === "ready") thread.ready = true;
      else finish(thread, message);
      next();
    });
    worker.on("error", (error: Error) => end(thread, { fault: "failed", detail: `the script's thread ended: ${error.message}` }));
    worker.on("exit", () => end(thread, { fault: "failed", detail: "the script's thread ended" }));
  }

  function finish(thread: Thread, outcome: ScriptOutcome): void {
    clearTimeout(thread.overdue);
    const { task } = thread;
    thread.task = undefined;
    task?.resolve(outcome);
  }

  function end(thread: Thread, outcome: ScriptOutcome): void {
    if (!threads.delete(thread)) return;
    finish(thread, outcome);
    // One that never came up takes a waiting script with it: otherwise it would be tried for ever.
    if (!thread.ready) waiting.shift()?.resolve(outcome);
    next();
  }

  return {
    run: (code, globals) => {
      if (waiting.length >= waitingLimit)
        return Promise.reject(
          new FlowError("java.util.concurrent.RejectedExecutionException", `too many scripts: ${waitingLimit} wait for a thread already`, {
            code: "limit-scripts",
          }),
        );
      return new Promise((resolve) => {
        waiting.push({ job: { code, globals }, resolve });
        next();
      });
    },
  };
}
