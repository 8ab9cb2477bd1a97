import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { simulationTimeoutMs, Simulator, type WorkerLike } from "./simulator.ts";
import type { Order, Report } from "./work.ts";

class FakeWorker implements WorkerLike {
  readonly orders: Order[] = [];
  ended = false;
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;

  postMessage(order: Order): void {
    this.orders.push(order);
  }

  terminate(): void {
    this.ended = true;
  }

  emit(report: Report): void {
    this.onmessage?.({ data: report } as MessageEvent<Report>);
  }
}

let workers: FakeWorker[];
let simulator: Simulator;
const request = { flowId: "f", source: "", files: [] };
const order = (source: string) => simulator.run("tests", { ...request, source });
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
  const result = order("a");
  const [worker] = workers as [FakeWorker];
  expect(worker.orders).toEqual([]);
  worker.emit({ kind: "ready" });
  expect(worker.orders.map(({ number }) => number)).toEqual([1]);
  worker.emit({ kind: "done", number: 1, result: "verdicts" });
  expect(await result).toBe("verdicts");
});

test("only the newest waiting request is executed", async () => {
  const results = [order("a"), order("b"), order("c")].map(outcome);
  const [worker] = workers as [FakeWorker];
  worker.emit({ kind: "ready" });
  worker.emit({ kind: "done", number: 1, result: "first" });
  worker.emit({ kind: "done", number: 3, result: "third" });
  expect(await Promise.all(results)).toEqual(["first", "replaced", "third"]);
  expect(worker.orders.map(({ request }) => ("source" in request ? request.source : undefined))).toEqual(["a", "c"]);
});

test("a request that takes too long terminates its worker; the next one gets a new worker, and late replies are ignored", async () => {
  const slow = outcome(order("slow"));
  const [worker] = workers as [FakeWorker];
  await vi.advanceTimersByTimeAsync(simulationTimeoutMs * 5);
  worker.emit({ kind: "ready" });
  await vi.advanceTimersByTimeAsync(simulationTimeoutMs - 1);
  expect(worker.ended).toBe(false);
  const next = outcome(order("next"));
  await vi.advanceTimersByTimeAsync(1);
  expect([await slow, worker.ended, workers.length]).toEqual(["time", true, 2]);
  worker.emit({ kind: "done", number: 1, result: "late" });
  (workers[1] as FakeWorker).emit({ kind: "ready" });
  (workers[1] as FakeWorker).emit({ kind: "done", number: 2, result: "next" });
  expect(await next).toBe("next");
});

test("a worker that fails to load is reported, and loaded again for the next request", async () => {
  const first = outcome(order("a"));
  (workers[0] as FakeWorker).onerror?.({ message: "" } as ErrorEvent);
  expect(await first).toBe("crash");
  void outcome(order("b"));
  expect(workers.length).toBe(2);
  simulator.close();
  expect((workers[1] as FakeWorker).ended).toBe(true);
});
