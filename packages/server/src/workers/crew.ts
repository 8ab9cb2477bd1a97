// The workers of a service: one leads, the others follow. Whoever ends is replaced, at once the first time, then after a pause that
// grows; what it had under way is told to the lead.
import cluster, { type Worker } from "node:cluster";
import type { Log } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import type { GivenFlows } from "../flows/given-flows.ts";
import type { Announcement } from "../main.ts";
import { CallError, Calls, type Address, type Envelope } from "./calls.ts";
import { followHandoffs } from "./handoffs.ts";
import type { MergedOutput } from "./merged-output.ts";
import type { Death, StartOrder, UnderWayNews } from "./messages.ts";
import type { RunIdentity } from "./under-way.ts";

/** A file for node, and words for it, that make a process import `@sluice/server/worker`. */
export interface WorkerCommand {
  readonly file: string;
  readonly words: readonly string[];
}

export interface CrewParts {
  readonly configuration: Configuration;
  readonly given: GivenFlows | undefined;
  readonly command: WorkerCommand;
  readonly socketPath: string;
  readonly log: Log;
  readonly output: MergedOutput;
}

interface Seat {
  readonly leads: boolean;
  worker: Worker | undefined;
  number: number;
  /** It hears what it is told; before that, messages would be lost. */
  isListening: boolean;
  isServing: boolean;
  startedAt: number;
  /** Ends in a row that came soon after the start. */
  failures: number;
  readonly runs: Map<string, RunIdentity>;
  /** To be called when the worker listens. */
  isHere: () => void;
}

const startWithinMs = 180_000;
const rejoinWithinMs = 60_000;
/** Ending later than this after its start, a worker is replaced at once. */
const settledAfterMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Who does not hear of the end in time is told again by being ended. */
const hearWithinMs = 1_000;
/** Beyond the drain limit, for what a worker has to put away. */
const afterDrainMs = 10_000;

export class Crew {
  readonly #parts: CrewParts;
  readonly #seats: readonly Seat[];
  readonly #calls: Calls;
  readonly #pauses = new Set<NodeJS.Timeout>();
  /** Ends the lead has not heard of. */
  #deaths: Death[] = [];
  #isUp = false;
  #isStopping = false;

  constructor(parts: CrewParts) {
    this.#parts = parts;
    this.#seats = Array.from({ length: parts.configuration.settings.workers }, (_, index) => ({
      leads: index === 0,
      worker: undefined,
      number: 0,
      isListening: false,
      isServing: false,
      startedAt: 0,
      failures: 0,
      runs: new Map(),
      isHere: () => undefined,
    }));
    this.#calls = new Calls("supervisor", (message) => this.#deliver(message));
    this.#calls.on("here", (_data, from) => {
      const seat = this.#seatOf(from);
      if (seat === undefined) return;
      seat.isListening = true;
      seat.isHere();
    });
    this.#calls.on("under-way", (news: UnderWayNews, from) => this.#note(news, from));
    this.#calls.on("given-flows", () => parts.given?.list() ?? []);
    this.#calls.on("replace", ({ worker }: { worker: number }) => this.#dismiss(worker));
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: parts.command.file,
      args: [...parts.command.words],
      serialization: "advanced",
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
  }

  /** Resolves when everybody serves, with what the lead says of the service. */
  async start(): Promise<Announcement> {
    const [lead, ...followers] = this.#seats as [Seat, ...Seat[]];
    await Promise.all(this.#seats.map((seat) => this.#fork(seat)));
    const announcement = (await this.#employ(lead)) as Announcement;
    await Promise.all(followers.map((seat) => this.#employ(seat)));
    this.#isUp = true;
    return announcement;
  }

  /** Ends everybody at once. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#seats.map((seat) => this.#end(seat, 0)));
  }

  /** The followers end first: until then the lead answers what they hand on. */
  async stop(): Promise<{ readonly drained: boolean }> {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const [lead, ...followers] = this.#seats as [Seat, ...Seat[]];
    const { drainMs } = this.#parts.configuration.settings;
    await this.#calls.call(lead.number, "draining", undefined, hearWithinMs).catch(() => undefined);
    const all = [...followers, lead].map((seat) => this.#end(seat, drainMs + afterDrainMs));
    return { drained: (await Promise.all(all)).every(Boolean) };
  }

  async #hire(seat: Seat): Promise<Announcement | undefined> {
    await this.#fork(seat);
    return this.#employ(seat);
  }

  /** Starts a process; resolves when it listens to us, for what is sent before would be lost. */
  #fork(seat: Seat): Promise<void> {
    const worker = cluster.fork();
    const number = worker.id;
    Object.assign(seat, { worker, number, isListening: false, isServing: false, startedAt: performance.now() });
    followHandoffs(worker, () => this.#seats.find((other) => other.isServing && other.worker?.isConnected() === true)?.worker);
    if (worker.process.stdout !== null) this.#parts.output.merge(worker.process.stdout);
    worker.on("message", (message: Envelope) => this.#take(message, number));
    worker.on("error", () => undefined);
    worker.on("exit", (code, signal) => this.#left(seat, number, signal ?? `exit code ${code}`));
    return new Promise<void>((listens, fails) => {
      seat.isHere = listens;
      worker.once("exit", () => fails(new CallError({ name: CallError.name, message: "it ended before it was ready", code: "gone" })));
    });
  }

  /** Tells a process what to be; resolves when it serves. */
  async #employ(seat: Seat): Promise<Announcement | undefined> {
    const { configuration, socketPath, given } = this.#parts;
    const order: StartOrder = {
      role: seat.leads ? "lead" : "follower",
      configuration,
      socketPath,
      givenFolders: given?.folders,
    };
    const lead = this.#seats[0] as Seat;
    const leadBefore = lead.number;
    const announcement = await this.#calls.call<Announcement | undefined>(seat.number, "start", order, startWithinMs);
    seat.isServing = true;
    if (seat.leads) await this.#install(seat);
    else if (lead.number !== leadBefore) await this.#rejoin(seat);
    return announcement;
  }

  /** A new lead learns what happened, and the others learn of it. */
  async #install(lead: Seat): Promise<void> {
    for (let death = this.#deaths[0]; death !== undefined; death = this.#deaths[0]) {
      await this.#calls.call(lead.number, "died", death);
      this.#deaths.shift();
    }
    await Promise.all(this.#seats.filter((seat) => !seat.leads && seat.isServing).map((seat) => this.#rejoin(seat)));
    this.#calls.tell(lead.number, "complete", undefined);
  }

  async #rejoin(seat: Seat): Promise<void> {
    const { worker } = seat;
    await this.#calls.call(seat.number, "rejoin", undefined, rejoinWithinMs).catch(() => worker?.process.kill("SIGKILL"));
  }

  async #left(seat: Seat, number: number, how: string): Promise<void> {
    const { log } = this.#parts;
    const pid = seat.worker?.process.pid ?? 0;
    const runs = [...seat.runs.values()];
    seat.runs.clear();
    seat.worker = undefined;
    seat.isListening = false;
    seat.isServing = false;
    this.#calls.gone(number);
    if (!seat.leads) this.#calls.tell("lead", "gone", { worker: number });
    else for (const other of this.#seats) if (other.worker !== undefined) this.#calls.tell(other.number, "lead-gone", undefined);
    if (this.#isStopping || !this.#isUp) return;
    const death: Death = { worker: number, pid, how, at: Date.now(), runs };
    const lived = performance.now() - seat.startedAt;
    seat.failures = lived > settledAfterMs ? 0 : seat.failures + 1;
    const pauseMs = seat.failures <= 1 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (seat.failures - 2));
    if (pauseMs > 0) log.write("WARN", "sluice.workers", `worker ${number} ended soon after its start; the next one is started in ${pauseMs} ms`);
    this.#deaths.push(death);
    const lead = this.#seats[0] as Seat;
    if (lead.isServing) for (const known of this.#deaths.splice(0)) void this.#calls.call(lead.number, "died", known).catch(() => this.#deaths.push(known));
    else
      log.write("ERROR", "sluice.workers", `${seat.leads ? "the leading worker" : `worker ${number}`} (process ${pid}) ended with ${how}; it is started again`);
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.#replace(seat);
    }, pauseMs);
    this.#pauses.add(pause);
  }

  async #replace(seat: Seat): Promise<void> {
    if (this.#isStopping) return;
    const { log } = this.#parts;
    try {
      await this.#hire(seat);
      log.write("INFO", "sluice.workers", `worker ${seat.number} (process ${seat.worker?.process.pid}) serves`);
    } catch (error) {
      log.write("ERROR", "sluice.workers", `worker ${seat.number} did not start: ${(error as Error).message}`);
      seat.worker?.process.kill("SIGKILL");
    }
  }

  /** Ends a worker at once; resolves when it is gone. */
  async #dismiss(number: number): Promise<void> {
    const worker = this.#seatOf(number)?.worker;
    if (worker === undefined) return;
    const exited = new Promise<void>((done) => worker.once("exit", () => done()));
    worker.process.kill("SIGKILL");
    await exited;
  }

  /** True when it ended with nothing left undone. */
  async #end(seat: Seat, withinMs: number): Promise<boolean> {
    const { worker } = seat;
    if (worker === undefined) return true;
    const exited = new Promise<void>((done) => worker.once("exit", () => done()));
    // One that does not listen yet has nothing to finish, and would not hear.
    const isNew = !seat.isListening;
    const { drained } =
      withinMs === 0 || isNew
        ? { drained: isNew }
        : await this.#calls.call<{ readonly drained: boolean }>(seat.number, "stop", undefined, withinMs).catch(() => ({ drained: false }));
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), withinMs === 0 || isNew ? 0 : 2_000);
    await exited;
    clearTimeout(timer);
    return drained;
  }

  #note({ began, ended }: UnderWayNews, from: Address): void {
    const seat = this.#seatOf(from);
    for (const run of began) seat?.runs.set(run.id, run);
    for (const id of ended) seat?.runs.delete(id);
  }

  #seatOf(address: Address): Seat | undefined {
    return address === "lead" ? this.#seats[0] : this.#seats.find((seat) => seat.number === address);
  }

  /** A worker's message to the supervisor or to another worker; who sent it is not left to itself to say. */
  #take(message: Envelope, from: number): void {
    const known = { ...message, from };
    if (message.to === "supervisor") this.#calls.receive(known);
    else this.#deliver(known);
  }

  #deliver(message: Envelope): void {
    const seat = this.#seatOf(message.to);
    if (seat?.worker?.isConnected() === true && seat.isListening) {
      seat.worker.send(message, (error) => {
        if (error !== null) this.#bounce(message);
      });
    } else this.#bounce(message);
  }

  /** There is nobody to take it: a call fails at once. */
  #bounce(message: Envelope): void {
    if ("answer" in message || message.call === undefined) return;
    const fault = { name: CallError.name, message: "nobody is there to answer", code: "gone" };
    const answer: Envelope = { to: message.from, from: message.to, answer: message.call, fault };
    if (message.from === "supervisor") this.#calls.receive(answer);
    else this.#deliver(answer);
  }
}
