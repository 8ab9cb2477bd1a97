// The page's side of the simulation: one worker, one request at a time. A request that takes too long terminates the worker; the next one gets a new
// worker. Only the newest waiting request of each kind is executed.
import type { Work, WorkerMessage, WorkerRequest } from "./worker-messages.ts";

/** The part of a Worker that is used. */
export interface WorkerLike {
  postMessage(request: WorkerRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<WorkerMessage>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export class SimulationStopped extends Error {
  readonly reason: "timeout" | "replaced" | "crash";

  constructor(reason: "timeout" | "replaced" | "crash", message: string) {
    super(message);
    this.name = "SimulationStopped";
    this.reason = reason;
  }
}

interface PendingRequest {
  readonly request: WorkerRequest;
  resolve(result: unknown): void;
  reject(error: SimulationStopped): void;
}

export const simulationTimeoutMs = 2_000;

export class Simulator {
  readonly #openWorker: () => WorkerLike;
  #worker: WorkerLike | undefined;
  #isReady = false;
  #number = 0;
  #running: PendingRequest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<keyof Work, PendingRequest>();

  constructor(openWorker: () => WorkerLike) {
    this.#openWorker = openWorker;
  }

  /** Resolves with the result; rejects when a newer request of the same kind replaced it, or it took too long. */
  run<K extends keyof Work>(kind: K, request: Work[K]["request"]): Promise<Work[K]["result"]> {
    return new Promise((resolve, reject) => {
      this.#waiting.get(kind)?.reject(new SimulationStopped("replaced", "replaced by a newer request"));
      const numbered = { kind, number: ++this.#number, request } as WorkerRequest;
      this.#waiting.set(kind, { request: numbered, resolve, reject });
      this.#next();
    });
  }

  close(): void {
    const reason = new SimulationStopped("replaced", "the simulation was closed");
    const waiting = [...this.#waiting.values()];
    // Cleared before the worker is stopped, because otherwise a new worker would start for a waiting request.
    this.#waiting.clear();
    this.#stop(reason);
    for (const { reject } of waiting) reject(reason);
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first[0]);
    this.#running = first[1];
    if (this.#worker === undefined) this.#start();
    else if (this.#isReady) this.#send();
  }

  #start(): void {
    const worker = this.#openWorker();
    this.#worker = worker;
    this.#isReady = false;
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => this.#stop(new SimulationStopped("crash", event.message === "" ? "the simulation could not be loaded" : event.message));
  }

  #send(): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#worker?.postMessage(running.request);
    // The time limit starts here, so that loading the engine does not count.
    this.#timer = setTimeout(() => this.#stop(new SimulationStopped("timeout", `stopped after ${simulationTimeoutMs / 1_000} s`)), simulationTimeoutMs);
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      return this.#send();
    }
    if (message.number !== this.#running?.request.number) return;
    const { resolve, reject } = this.#running;
    this.#running = undefined;
    clearTimeout(this.#timer);
    if (message.kind === "done") resolve(message.result);
    else reject(new SimulationStopped("crash", message.message));
    this.#next();
  }

  /** Terminates the worker and its request; waiting requests get a new worker. */
  #stop(reason: SimulationStopped): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.reject(reason);
    this.#next();
  }
}
