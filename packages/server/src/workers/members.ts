// The other workers that serve at the moment, and what is remembered of those that ended.
import { addCounts } from "../metrics/run-counts.ts";
import type { Calls } from "./calls.ts";
import type { CountedNews, RouteFigures, RouteStatsFigures, WorkerFigures } from "./messages.ts";

/** What a worker has told of what it counted. */
interface Told {
  readonly counts: Map<string, RouteFigures>;
  readonly routes: Map<string, RouteStatsFigures>;
}

export class Members {
  readonly #calls: Calls;
  readonly #serving = new Set<number>();
  readonly #told = new Map<number, Told>();
  /** What those that ended had counted, in one sum: figures of a service never go back. */
  departed: readonly RouteFigures[] = [];

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

  /** A worker tells what it counted. */
  note(member: number, { counts, routes }: CountedNews): void {
    let told = this.#told.get(member);
    if (told === undefined) this.#told.set(member, (told = { counts: new Map(), routes: new Map() }));
    for (const count of counts) told.counts.set(`${count.flowId} ${count.routeId}`, count);
    for (const route of routes) told.routes.set(route.id, route);
  }

  /** What it had counted goes on to count; the answer is what it had told of its routes. */
  left(member: number): readonly RouteStatsFigures[] {
    this.#serving.delete(member);
    this.#calls.gone(member);
    const told = this.#told.get(member);
    this.#told.delete(member);
    if (told === undefined) return [];
    this.departed = addCounts([this.departed, [...told.counts.values()]]);
    return [...told.routes.values()];
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
            if (this.#serving.has(member)) this.note(member, figures);
            return [figures];
          },
          () => [],
        ),
      ),
    );
    return found.flat();
  }
}
