// The workers of a service: a leader and followers, or equal nodes in a cluster. A worker that exits is replaced, immediately the first
// time and then with exponential back-off. Its in-flight runs are reported to the leader; in a cluster, the other nodes take over its work.
import cluster, { type Worker } from "node:cluster";
import type { Log } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import type { Announcement } from "../running-server.ts";
import { CallError, Calls, type Address, type Envelope } from "./calls.ts";
import { trackHandoffs } from "./handoffs.ts";
import type { MergedOutput } from "./merged-output.ts";
import type { WorkerExit } from "../other-workers/worker-metrics.ts";
import { nodeName } from "../other-nodes/node-name.ts";
import type { StartRequest, InFlightChanges, WorkerRole } from "./messages.ts";
import type { RunIdentity } from "../other-workers/run-identity.ts";

/** The script and arguments with which node starts a process that imports `@sluice/server/worker`. */
export interface WorkerCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface WorkerPoolParts {
  readonly configuration: Configuration;
  readonly externalFlows: ExternalFlows | undefined;
  readonly command: WorkerCommand;
  readonly socketPath: string;
  readonly log: Log;
  readonly output: MergedOutput;
}

interface Slot {
  readonly role: WorkerRole;
  readonly position: number;
  worker: Worker | undefined;
  number: number;
  /** The IPC channel is ready; earlier messages would be lost. */
  isListening: boolean;
  isServing: boolean;
  startedAt: number;
  /** Consecutive exits shortly after the start. */
  failures: number;
  readonly runs: Map<string, RunIdentity>;
  /** Called when the IPC channel is ready. */
  onListening: () => void;
}

const startWithinMs = 180_000;
const rejoinWithinMs = 60_000;
/** A worker that ran longer than this is replaced without back-off. */
const settledAfterMs = 10_000;
const firstPauseMs = 100;
const maxPauseMs = 10_000;
/** How long `stop` waits for the leader to confirm that draining has begun. */
const drainNoticeMs = 1_000;
/** Added to the drain limit: time for a worker to close its resources. Workers that are still running after that are killed. */
const afterDrainMs = 10_000;

export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #slots: readonly Slot[];
  /** Undefined in a cluster. */
  readonly #leader: Slot | undefined;
  readonly #calls: Calls;
  readonly #pauses = new Set<NodeJS.Timeout>();
  /** Worker exits that have not been reported to the leader. */
  #exits: WorkerExit[] = [];
  #isUp = false;
  #isStopping = false;

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
    const { workers, cluster: store } = parts.configuration.settings;
    this.#slots = Array.from({ length: workers }, (_, index) => ({
      role: store !== undefined ? "node" : index === 0 ? "leader" : "follower",
      position: index + 1,
      worker: undefined,
      number: 0,
      isListening: false,
      isServing: false,
      startedAt: 0,
      failures: 0,
      runs: new Map(),
      onListening: () => undefined,
    }));
    this.#leader = this.#slots.find(({ role }) => role === "leader");
    this.#calls = new Calls("supervisor", (message) => this.#deliver(message));
    this.#calls.on("listening", (_data, from) => {
      const slot = this.#slotOf(from);
      if (slot === undefined) return;
      slot.isListening = true;
      slot.onListening();
    });
    this.#calls.on("in-flight", (changes: InFlightChanges, from) => this.#trackRuns(changes, from));
    this.#calls.on("external-flows", () => parts.externalFlows?.list() ?? []);
    this.#calls.on("replace", ({ worker }: { worker: number }) => this.#kill(worker));
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: parts.command.file,
      args: [...parts.command.args],
      serialization: "advanced",
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
  }

  /** Resolves with the first worker's announcement when all workers are ready. */
  async start(): Promise<Announcement> {
    const [first, ...others] = this.#slots as [Slot, ...Slot[]];
    await Promise.all(this.#slots.map((slot) => this.#fork(slot)));
    const announcement = (await this.#configure(first)) as Announcement;
    await Promise.all(others.map((slot) => this.#configure(slot)));
    this.#isUp = true;
    return announcement;
  }

  /** Kills all workers. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#slots.map((slot) => this.#end(slot, 0)));
  }

  /** Stops all workers. The leader serves forwarded requests until the followers have exited. */
  async stop(): Promise<{ readonly drained: boolean }> {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const { drainMs, clusterLeaveMs, cluster: store } = this.#parts.configuration.settings;
    const leader = this.#leader;
    if (leader !== undefined) await this.#calls.call(leader.number, "draining", undefined, drainNoticeMs).catch(() => undefined);
    const withinMs = (store === undefined ? 0 : clusterLeaveMs) + drainMs + afterDrainMs;
    const all = this.#slots.toReversed().map((slot) => this.#end(slot, withinMs));
    return { drained: (await Promise.all(all)).every(Boolean) };
  }

  async #forkAndConfigure(slot: Slot): Promise<Announcement | undefined> {
    await this.#fork(slot);
    return this.#configure(slot);
  }

  /** Starts a process; resolves when its IPC channel is ready. */
  #fork(slot: Slot): Promise<void> {
    const worker = cluster.fork();
    const number = worker.id;
    Object.assign(slot, { worker, number, isListening: false, isServing: false, startedAt: performance.now() });
    trackHandoffs(worker, () => this.#slots.find((other) => other.isServing && other.worker?.isConnected() === true)?.worker);
    if (worker.process.stdout !== null) this.#parts.output.merge(worker.process.stdout);
    worker.on("message", (message: Envelope) => this.#receive(message, number));
    worker.on("error", () => undefined);
    worker.on("exit", (code, signal) => this.#exited(slot, number, signal ?? `exit code ${code}`));
    return new Promise<void>((resolve, reject) => {
      slot.onListening = resolve;
      worker.once("exit", () => reject(new CallError({ name: CallError.name, message: "the process exited before it was ready", code: "exited" })));
    });
  }

  /** Sends a process its role and configuration; resolves when it is ready. */
  async #configure(slot: Slot): Promise<Announcement | undefined> {
    const { configuration, socketPath, externalFlows } = this.#parts;
    const request: StartRequest = {
      role: slot.role,
      position: slot.position,
      configuration,
      socketPath,
      externalFolders: externalFlows?.folders,
      isReplacement: this.#isUp,
    };
    const leaderBefore = this.#leader?.number;
    const announcement = await this.#calls.call<Announcement | undefined>(slot.number, "start", request, startWithinMs);
    slot.isServing = true;
    if (slot.role === "leader") await this.#introduceLeader(slot);
    else if (this.#leader?.number !== leaderBefore) await this.#rejoin(slot);
    return announcement;
  }

  /** Reports earlier worker exits to a new leader and makes the followers join it. */
  async #introduceLeader(leader: Slot): Promise<void> {
    for (let exit = this.#exits[0]; exit !== undefined; exit = this.#exits[0]) {
      await this.#calls.call(leader.number, "worker-exited", exit);
      this.#exits.shift();
    }
    await Promise.all(this.#slots.filter((slot) => slot !== leader && slot.isServing).map((slot) => this.#rejoin(slot)));
    this.#calls.notify(leader.number, "complete", undefined);
  }

  async #rejoin(slot: Slot): Promise<void> {
    const { worker } = slot;
    await this.#calls.call(slot.number, "rejoin", undefined, rejoinWithinMs).catch(() => worker?.process.kill("SIGKILL"));
  }

  async #exited(slot: Slot, number: number, how: string): Promise<void> {
    const { log } = this.#parts;
    const pid = slot.worker?.process.pid ?? 0;
    const runs = [...slot.runs.values()];
    slot.runs.clear();
    slot.worker = undefined;
    slot.isListening = false;
    slot.isServing = false;
    this.#calls.failPending(number);
    if (slot.role === "follower") this.#calls.notify("leader", "follower-exited", { worker: number });
    if (slot.role === "leader") for (const other of this.#slots) if (other.worker !== undefined) this.#calls.notify(other.number, "leader-exited", undefined);
    if (this.#isStopping || !this.#isUp) return;
    const uptime = performance.now() - slot.startedAt;
    slot.failures = uptime > settledAfterMs ? 0 : slot.failures + 1;
    const pauseMs = slot.failures <= 1 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (slot.failures - 2));
    if (pauseMs > 0) log.write("WARN", "sluice.workers", `${this.#label(slot)} exited shortly after its start; starting a replacement in ${pauseMs} ms`);
    const leader = this.#leader;
    if (leader !== undefined) this.#exits.push({ worker: number, pid, how, at: Date.now(), runs });
    if (leader?.isServing === true)
      for (const pending of this.#exits.splice(0)) void this.#calls.call(leader.number, "worker-exited", pending).catch(() => this.#exits.push(pending));
    else log.write("ERROR", "sluice.workers", `${this.#label(slot)} (process ${pid}) exited (${how}); starting a replacement`);
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.#replace(slot);
    }, pauseMs);
    this.#pauses.add(pause);
  }

  async #replace(slot: Slot): Promise<void> {
    if (this.#isStopping) return;
    const { log } = this.#parts;
    try {
      await this.#forkAndConfigure(slot);
      log.write("INFO", "sluice.workers", `${this.#label(slot)} (process ${slot.worker?.process.pid}) is ready`);
    } catch (error) {
      log.write("ERROR", "sluice.workers", `${this.#label(slot)} failed to start: ${(error as Error).message}`);
      slot.worker?.process.kill("SIGKILL");
    }
  }

  /** The name of a worker in the log. */
  #label({ role, number, position }: Slot): string {
    if (role === "node") return `Node '${nodeName(this.#parts.configuration.settings, position)}'`;
    return role === "leader" ? "Leader worker" : `Worker ${number}`;
  }

  /** Kills a worker; resolves when it has exited. */
  async #kill(number: number): Promise<void> {
    const worker = this.#slotOf(number)?.worker;
    if (worker === undefined) return;
    const exited = new Promise<void>((done) => worker.once("exit", () => done()));
    worker.process.kill("SIGKILL");
    await exited;
  }

  /** Resolves to true when the worker exited without abandoning anything. */
  async #end(slot: Slot, withinMs: number): Promise<boolean> {
    const { worker } = slot;
    if (worker === undefined) return true;
    const exited = new Promise<void>((done) => worker.once("exit", () => done()));
    // Not listening yet: nothing to drain, and the call would not arrive.
    const isNew = !slot.isListening;
    const { drained } =
      withinMs === 0 || isNew
        ? { drained: isNew }
        : await this.#calls.call<{ readonly drained: boolean }>(slot.number, "stop", undefined, withinMs).catch(() => ({ drained: false }));
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), withinMs === 0 || isNew ? 0 : 2_000);
    await exited;
    clearTimeout(timer);
    return drained;
  }

  #trackRuns({ started, ended }: InFlightChanges, from: Address): void {
    const slot = this.#slotOf(from);
    for (const run of started) slot?.runs.set(run.id, run);
    for (const id of ended) slot?.runs.delete(id);
  }

  #slotOf(address: Address): Slot | undefined {
    return address === "leader" ? this.#leader : this.#slots.find((slot) => slot.number === address);
  }

  /** Routes a worker's message. The sender is set here, so that a worker cannot claim another's address. */
  #receive(message: Envelope, from: number): void {
    const stamped = { ...message, from };
    if (message.to === "supervisor") this.#calls.receive(stamped);
    else this.#deliver(stamped);
  }

  #deliver(message: Envelope): void {
    const slot = this.#slotOf(message.to);
    if (slot?.worker?.isConnected() === true && slot.isListening) {
      slot.worker.send(message, (error) => {
        if (error !== null) this.#failUndeliverable(message);
      });
    } else this.#failUndeliverable(message);
  }

  /** Fails a call whose recipient is not available. */
  #failUndeliverable(message: Envelope): void {
    if ("response" in message || message.call === undefined) return;
    const fault = { name: CallError.name, message: "the worker process is not available", code: "exited" };
    const response: Envelope = { to: message.from, from: message.to, response: message.call, fault };
    if (message.from === "supervisor") this.#calls.receive(response);
    else this.#deliver(response);
  }
}
