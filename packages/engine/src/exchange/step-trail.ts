// The steps of one run in the order they began. Every step of every run is noted here, so nothing is allocated for one: numbers
// lie in one flat list, and a trail is used again for another run. Whoever notes a step late, after its run is over and the
// trail has gone to another, finds that it is another one's turn and leaves it alone.

/** What a step is called, once for all its runs. */
export interface StepName {
  readonly stepId: string;
  readonly kind: string;
}

/** One step of a run; times in milliseconds since the epoch, fractions kept. */
export interface StepRecord extends StepName {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: "running" | "completed" | "failed";
  readonly attempts: number;
}

/** Steps noted per run; a split of a million lines must not fill the memory. */
const longest = 200;

const statuses = ["running", "completed", "failed"] as const;
/** Of each step: when it started, how long it took, and its attempts and status in one number. */
const width = 3;
const attemptUnit = 4;

export class StepTrail {
  /** Counts the runs it has served. */
  turn = 0;
  readonly #names: StepName[] = [];
  readonly #figures: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** For how many steps there is room without growing. */
  get capacity(): number {
    return this.#names.length;
  }

  /** Forgets everything and serves another run; returns its turn. */
  restart(): number {
    this.#length = 0;
    return ++this.turn;
  }

  /** Notes that a step began; returns its place, or -1 when no more are noted. */
  begin(name: StepName, startedAt: number): number {
    const place = this.#length;
    if (place >= longest) return -1;
    this.#length = place + 1;
    this.#names[place] = name;
    const at = place * width;
    this.#figures[at] = startedAt;
    this.#figures[at + 1] = 0;
    this.#figures[at + 2] = attemptUnit;
    return place;
  }

  /** A redelivery goes on with the record of the step that failed; -1 when there is none. */
  again({ stepId }: StepName, attempt: number): number {
    for (let place = this.#length - 1; place >= 0; place--) {
      if (this.#names[place]?.stepId !== stepId) continue;
      this.#figures[place * width + 2] = attempt * attemptUnit;
      return place;
    }
    return -1;
  }

  end(place: number, durationMs: number, failed: boolean): void {
    const at = place * width;
    this.#figures[at + 1] = durationMs;
    const code = this.#figures[at + 2] as number;
    this.#figures[at + 2] = code - (code % attemptUnit) + (failed ? 2 : 1);
  }

  /** The steps as they are now. */
  records(): readonly StepRecord[] {
    return this.#names.slice(0, this.#length).map(({ stepId, kind }, place) => {
      const at = place * width;
      const code = this.#figures[at + 2] as number;
      return {
        stepId,
        kind,
        startedAt: this.#figures[at] as number,
        durationMs: this.#figures[at + 1] as number,
        status: statuses[code % attemptUnit] as StepRecord["status"],
        attempts: Math.floor(code / attemptUnit),
      };
    });
  }
}
