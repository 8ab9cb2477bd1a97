// The recent calls of a circuit and how many of them failed or were slow. The counts are updated with each call instead of
// being recomputed, because a window may contain 100,000 calls.

export interface CallWindow {
  add(failed: boolean, slow: boolean): void;
  readonly calls: number;
  readonly failed: number;
  readonly slow: number;
}

const failedFlag = 1;
const slowFlag = 2;

/** The last `size` calls. */
export class CountWindow implements CallWindow {
  readonly #size: number;
  /** The flags of each call; once the window is full, the oldest call is at `#next`. */
  readonly #flags: number[] = [];
  #next = 0;
  failed = 0;
  slow = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get calls(): number {
    return this.#flags.length;
  }

  add(failed: boolean, slow: boolean): void {
    this.#count(this.#flags[this.#next] ?? 0, -1);
    const flags = (failed ? failedFlag : 0) | (slow ? slowFlag : 0);
    this.#flags[this.#next] = flags;
    this.#count(flags, 1);
    this.#next = (this.#next + 1) % this.#size;
  }

  #count(flags: number, change: 1 | -1): void {
    if ((flags & failedFlag) !== 0) this.failed += change;
    if ((flags & slowFlag) !== 0) this.slow += change;
  }
}

interface Second {
  readonly second: number;
  calls: number;
  failed: number;
  slow: number;
}

/** The calls of the last `size` seconds, counted per second. */
export class TimeWindow implements CallWindow {
  readonly #size: number;
  readonly #now: () => number;
  /** Seconds with calls, in order: at most `size`. */
  readonly #seconds: Second[] = [];
  calls = 0;
  failed = 0;
  slow = 0;

  constructor(size: number, now: () => number) {
    this.#size = size;
    this.#now = now;
  }

  add(failed: boolean, slow: boolean): void {
    const second = Math.floor(this.#now() / 1000);
    while ((this.#seconds[0]?.second ?? Infinity) <= second - this.#size) this.#drop(this.#seconds.shift() as Second);
    let current = this.#seconds.at(-1);
    if (current?.second !== second) this.#seconds.push((current = { second, calls: 0, failed: 0, slow: 0 }));
    for (const counts of [current, this]) {
      counts.calls++;
      if (failed) counts.failed++;
      if (slow) counts.slow++;
    }
  }

  #drop({ calls, failed, slow }: Second): void {
    this.calls -= calls;
    this.failed -= failed;
    this.slow -= slow;
  }
}
