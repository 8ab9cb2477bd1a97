// A host controlled by the test: time advances on command, ids count up, log records are recorded.
import type { HttpIngress, Ids, Lookup } from "@sluice/engine";
import type { Clock, Exchange, Host, HttpMount, Log, LogLevel } from "@sluice/engine/spi";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that advances on command. Wall time and monotonic time can be moved independently. */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(wall = Date.UTC(2026, 0, 5, 10, 0, 0)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { due: this.#monotonic + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Number of pending timers: 0 when nothing leaked. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances both clocks, firing every timer at its time and letting its work settle before the next. */
  async advance(ms: number): Promise<void> {
    const target = this.#monotonic + ms;
    await settle();
    for (let next = this.#earliest(target); next !== undefined; next = this.#earliest(target)) {
      this.#forward(Math.max(next.due, this.#monotonic));
      this.#timers.delete(next);
      next.run();
      await settle();
    }
    this.#forward(target);
  }

  /** Simulates a stalled process: timers due meanwhile fire late, all at the end. */
  async freeze(ms: number): Promise<void> {
    this.#forward(this.#monotonic + ms);
    await this.advance(0);
  }

  /** Moves the wall clock forward or back; the monotonic clock is unaffected. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #forward(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #earliest(limit: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > limit) continue;
      if (earliest === undefined || timer.due < earliest.due || (timer.due === earliest.due && timer.order < earliest.order)) earliest = timer;
    }
    return earliest;
  }
}

/** A clock on which each reading of the monotonic time takes `stepMs`, so that work in slices yields after a known number of readings. */
export class SteppingClock extends FakeClock {
  readonly #stepMs: number;
  #readings = 0;
  yields = 0;

  constructor(stepMs: number) {
    super();
    this.#stepMs = stepMs;
  }

  override monotonic(): number {
    return super.monotonic() + ++this.#readings * this.#stepMs;
  }

  override yieldToEventLoop(): Promise<void> {
    this.yields++;
    return super.yieldToEventLoop();
  }
}

/** Runs pending promises and immediates: enough turns for a short chain of awaits. */
export async function settle(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

export interface LogRecord {
  readonly level: LogLevel;
  readonly logger: string;
  readonly text: string;
  readonly exchange: Exchange | undefined;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

const levels: readonly LogLevel[] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];

/** Keeps records at or above its level. */
export class FakeLog implements Log {
  level: LogLevel = "TRACE";
  readonly records: LogRecord[] = [];

  enabled(level: LogLevel): boolean {
    return levels.indexOf(level) >= levels.indexOf(this.level);
  }

  write(level: LogLevel, logger: string, text: string, exchange?: Exchange, fields?: Readonly<Record<string, unknown>>): void {
    if (this.enabled(level)) this.records.push({ level, logger, text, exchange, fields });
  }

  get texts(): readonly string[] {
    return this.records.map((record) => record.text);
  }
}

/** Keeps the mounts, so that a test can call them as the listener would. */
export class FakeIngress implements HttpIngress {
  readonly mounts: HttpMount[] = [];

  mount(mount: HttpMount): () => void {
    this.mounts.push(mount);
    return () => {
      const at = this.mounts.indexOf(mount);
      if (at >= 0) this.mounts.splice(at, 1);
    };
  }
}

/** A host that consists of fakes; the test can access and replace every part. */
export class FakeHost implements Host {
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  readonly http = new FakeIngress();
  readonly globals = new Map<string, unknown>();
  readonly variables = new Map<string, string>();
  readonly ids: Ids;
  firstTickMs = 0;
  lookup: Lookup = {
    find: (table) => {
      throw new Error(`the fake host has no table '${table}'`);
    },
  };
  #count = 0;

  constructor() {
    this.ids = { next: () => String(++this.#count).padStart(26, "0") };
  }

  random(): number {
    return 0.5;
  }

  environment(name: string): string | undefined {
    return this.variables.get(name);
  }
}
