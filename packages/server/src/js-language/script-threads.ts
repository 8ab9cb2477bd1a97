// Threads for scripts; each runs one script at a time. A thread that exceeds the time limit is terminated and replaced, so that endless
// loops and slow built-ins do not block other scripts.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { FlowError } from "@sluice/engine";
import { loadInterpreter, runScript, type ScriptLimits, type ScriptOutcome, type ScriptThreads } from "@sluice/standard";
import { scriptThread, type ScriptJob, type ThreadSettings } from "./script-thread.ts";

const limits: ScriptLimits = { timeLimitMs: 1_000, memoryLimitBytes: 64 * 1024 * 1024, stackLimitBytes: 256 * 1024 };
/** Extra time before a thread is terminated, because built-ins cannot be interrupted. */
const graceMs = 500;
const threadCount = 2;
const maxWaiting = 1_000;

interface Task {
  readonly job: ScriptJob;
  readonly resolve: (outcome: ScriptOutcome) => void;
}

interface Thread {
  readonly worker: Worker;
  ready: boolean;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Enough for the deepest recursion that the interpreter's own stack limit allows: on x64, a thread uses 28 bytes for each byte of that limit. */
const stackSizeMb = 16;

/** `wasm` is the compiled WebAssembly module of the interpreter, shared by the threads. */
export function scriptThreads(wasm: object): ScriptThreads {
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
      thread.timer = setTimeout(() => {
        end(thread, { fault: "time", detail: `${limits.timeLimitMs}` });
        void thread.worker.terminate();
      }, limits.timeLimitMs + graceMs);
    }
  }

  function start(): void {
    const { resolve } = createRequire(import.meta.url);
    const settings: ThreadSettings = { core: resolve("quickjs-emscripten-core"), variant: resolve("@jitl/quickjs-wasmfile-release-sync"), wasm, limits };
    const worker = new Worker(`(${scriptThread.toString()})(require, ${loadInterpreter.toString()}, ${runScript.toString()})`, {
      eval: true,
      workerData: settings,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb },
    });
    const thread: Thread = { worker, ready: false, task: undefined, timer: undefined };
    threads.add(thread);
    // An idle thread must not keep the process alive; a busy one is awaited by its run.
    worker.unref();
    worker.on("message", (message: ScriptOutcome | "ready") => {
      if (message === "ready") thread.ready = true;
      else finish(thread, message);
      next();
    });
    worker.on("error", (error: Error) => end(thread, { fault: "failed", detail: `the script thread exited: ${error.message}` }));
    worker.on("exit", () => end(thread, { fault: "failed", detail: "the script thread exited" }));
  }

  function finish(thread: Thread, outcome: ScriptOutcome): void {
    clearTimeout(thread.timer);
    const { task } = thread;
    thread.task = undefined;
    task?.resolve(outcome);
  }

  function end(thread: Thread, outcome: ScriptOutcome): void {
    if (!threads.delete(thread)) return;
    finish(thread, outcome);
    // Fail one waiting script if the thread never became ready: otherwise starting would be retried forever.
    if (!thread.ready) waiting.shift()?.resolve(outcome);
    next();
  }

  return {
    run: (code, globals) => {
      if (waiting.length >= maxWaiting)
        return Promise.reject(
          new FlowError("java.util.concurrent.RejectedExecutionException", `too many scripts: ${maxWaiting} are already waiting for a thread`, {
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
