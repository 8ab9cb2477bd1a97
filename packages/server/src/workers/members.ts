// The other workers that serve at the moment, and what is remembered of those that ended.
import type { Calls } from "./calls.ts";
import type { WorkerFigures } from "./messages.ts";

/** Workers that ended and are remembered one by one; they are few unless something is very wrong. */
const mostDeparted = 100;

export class Members {
  readonly #calls: Calls;
  readonly #serving = new Set<number>();
  readonly #lastFigures = new Map<number, WorkerFigures>();
  readonly departed: WorkerFigures[] = [];

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  get size(): number {
    return this.#serving.size;
  }

  [Symbol.iterator](): IterableIterator<number> {
    return new Set(this.#serving).values();
  }

  has(member: number): boolean {
    return this.#serving.has(member);
  }

  add(member: number): void {
    this.#serving.add(member);
  }

  delete(member: number): void {
    this.#serving.delete(member);
  }

  /** What it had counted when it was last asked goes on to count: figures of a service never go back. */
  left(member: number): void {
    this.#serving.delete(member);
    this.#calls.gone(member);
    const figures = this.#lastFigures.get(member);
    this.#lastFigures.delete(member);
    if (figures === undefined) return;
    this.departed.push({ ...figures, connections: 0, webhookCalls: 0, routes: figures.routes.map((route) => ({ ...route, inflight: 0 })) });
    if (this.departed.length > mostDeparted) this.departed.shift();
  }

  /** Asks all of them; one that ends meanwhile has nothing to say. */
  async ask<T>(name: string, data: unknown, withinMs: number): Promise<readonly T[]> {
    const answers = await Promise.all(
      [...this.#serving].map((member) =>
        this.#calls.call<T>(member, name, data, withinMs).then(
          (answer) => [answer],
          () => [],
        ),
      ),
    );
    return answers.flat() as T[];
  }

  async figures(withinMs: number): Promise<readonly WorkerFigures[]> {
    const found = await Promise.all(
      [...this.#serving].map((member) =>
        this.#calls.call<WorkerFigures>(member, "figures", undefined, withinMs).then(
          (figures) => {
            if (this.#serving.has(member)) this.#lastFigures.set(member, figures);
            return [figures];
          },
          () => [],
        ),
      ),
    );
    return found.flat();
  }
}
