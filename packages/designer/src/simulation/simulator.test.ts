import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { simulationTimeoutMs, Simulator, type WorkerLike } from "./simulator.ts";
import type { WorkerRequest, WorkerMessage } from "./worker-messages.ts";

class FakeWorker implements WorkerLike {
  readonly requests: WorkerRequest[] = [];
  isTerminated = false;
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;

  postMessage(request: WorkerRequest): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  emit(report: WorkerMessage): void {
    this.onmessage?.({ data: report } as MessageEvent<WorkerMessage>);
  }
}

let workers: FakeWorker[];
let simulator: Simulator;
const request = { flowId: "f", source: "", files: [] };
const run = (source: string) => simulator.run("tests", { ...request, source });
const outcome = (running: Promise<unknown>): Promise<unknown> => running.catch((error: { reason?: string }) => error.reason);

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  simulator = new Simulator(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
});
afterEach(() => vi.useRealTimers());

test("a request is sent when the worker is ready, and its result is returned", async () => {
  const result = run("a");
  const [worker] = workers as [FakeWorker];
  expect(worker.requests).toEqual([]);
  worker.emit({ kind: "ready" });
  expect(worker.requests.map(({ number }) => number)).toEqual([1]);
  worker.emit({ kind: "done", number: 1, result: "results" });
  expect(await result).toBe("results");
});

test("only the newest waiting request is executed", async () => {
  const results = [run("a"), run("b"), run("c")].map(outcome);
  const [worker] = workers as [FakeWorker];
  worker.emit({ kind: "ready" });
  worker.emit({ kind: "done", number: 1, result: "first" });
  worker.emit({ kind: "done", number: 3, result: "third" });
  expect(await Promise.all(results)).toEqual(["first", "replaced", "third"]);
  expect(worker.requests.map(({ request }) => ("source" in request ? request.source : undefined))).toEqual(["a", "c"]);
});

test("a request that takes too long terminates its worker; the next one gets a new worker, and late replies are ignored", async () => {
  const slow = outcome(run("slow"));
  const [worker] = workers as [FakeWorker];
  await vi.advanceTimersByTimeAsync(simulationTimeoutMs * 5);
  worker.emit({ kind: "ready" });
  await vi.advanceTimersByTimeAsync(simulationTimeoutMs - 1);
  expect(worker.isTerminated).toBe(false);
  const next = outcome(run("next"));
  await vi.advanceTimersByTimeAsync(1);
  expect([await slow, worker.isTerminated, workers.length]).toEqual(["timeout", true, 2]);
  worker.emit({ kind: "done", number: 1, result: "late" });
  (workers[1] as FakeWorker).emit({ kind: "ready" });
  (workers[1] as FakeWorker).emit({ kind: "done", number: 2, result: "next" });
  expect(await next).toBe("next");
});

test("a worker that fails to load is reported, and loaded again for the next request", async () => {
  const first = outcome(run("a"));
  (workers[0] as FakeWorker).onerror?.({ message: "" } as ErrorEvent);
  expect(await first).toBe("crash");
  void outcome(run("b"));
  expect(workers.length).toBe(2);
  simulator.close();
  expect((workers[1] as FakeWorker).isTerminated).toBe(true);
});

test("closing rejects running and waiting requests, and starts no new worker", async () => {
  const results = [run("a"), run("b")].map(outcome);
  simulator.close();
  expect(await Promise.all(results)).toEqual(["replaced", "replaced"]);
  expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
});
