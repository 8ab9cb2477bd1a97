// The steps of one run in start order.

/** Identifies a step. */
export interface StepName {
  readonly stepId: string;
  readonly kind: string;
}

/** One step of a run; times in milliseconds since the epoch, with fractions. */
export interface StepRecord extends StepName {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: "running" | "completed" | "failed";
  readonly attempts: number;
  /** Every attempt of a step that was redelivered, in order; undefined for others. */
  readonly tries?: readonly StepTry[];
}

export interface StepTry {
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Steps recorded per run; a split of a million lines must not exhaust memory. */
const maxSteps = 200;
/** Attempts recorded per step; a redelivery may be repeated without end. */
const maxTries = 20;

export class StepTrail {
  readonly #steps: { -readonly [Key in keyof Omit<StepRecord, "tries">]: StepRecord[Key] }[] = [];
  /** By index of the step; created for the first redelivery. */
  #tries: Map<number, { -readonly [Key in keyof StepTry]: StepTry[Key] }[]> | undefined = undefined;

  get length(): number {
    return this.#steps.length;
  }

  /** True when no further steps are recorded. */
  get isFull(): boolean {
    return this.#steps.length >= maxSteps;
  }

  /** Records the start of a step; returns its index, or -1 when the limit is reached. */
  begin({ stepId, kind }: StepName, startedAt: number): number {
    if (this.isFull) return -1;
    return this.#steps.push({ stepId, kind, startedAt, durationMs: 0, status: "running", attempts: 1 }) - 1;
  }

  /** A redelivery continues the record of the step that failed; -1 when there is none. */
  retry({ stepId }: StepName, attempt: number, startedAt: number): number {
    const index = this.#steps.findLastIndex((step) => step.stepId === stepId);
    const step = this.#steps[index];
    if (step !== undefined) {
      step.status = "running";
      step.attempts = attempt;
      this.#tries ??= new Map();
      const tries = this.#tries.get(index) ?? [{ startedAt: step.startedAt, durationMs: step.durationMs }];
      this.#tries.set(index, tries);
      if (tries.length < maxTries) tries.push({ startedAt, durationMs: 0 });
    }
    return index;
  }

  end(index: number, durationMs: number, failed: boolean): void {
    const step = this.#steps[index];
    if (step === undefined) return;
    step.durationMs = durationMs;
    const last = this.#tries?.get(index)?.at(-1);
    if (last !== undefined && last.durationMs === 0) last.durationMs = durationMs;
    step.status = failed ? "failed" : "completed";
  }

  /** The current records of all steps. */
  records(): readonly StepRecord[] {
    return this.#steps.map((step, index) => {
      const tries = this.#tries?.get(index);
      return tries === undefined ? { ...step } : { ...step, tries: tries.map((attempt) => ({ ...attempt })) };
    });
  }
}
