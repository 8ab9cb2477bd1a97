// Builtins whose arguments are filters, not values.
import { collect, singleFilter, valueFilter, type Environment, type Filter } from "./jq-filter.ts";
import { expectPath } from "./jq-functions.ts";
import { JqBreak, JqError, type JqMachine } from "./jq-machine.ts";
import { getPath, toPath, type PathLink } from "./jq-paths.ts";
import { firstOutput } from "./jq-update.ts";
import { compare, describe, fail, isTruthy, kindOf, sortBy, type Members } from "./jq-values.ts";

export type CreateFilter = (args: readonly Filter[], machine: JqMachine) => Filter;

type Env = Environment | undefined;

export const filterBuiltins: Readonly<Record<string, CreateFilter>> = {
  "empty/0": () => ({ run: () => undefined, paths: () => undefined }),
  "error/0": () => valueFilter((_environment, input) => raise(input)),
  "error/1": ([message]) => valueFilter((environment, input) => (message as Filter).run(environment, input, raise)),
  "select/1": ([condition]) => select(condition as Filter),
  "map/1": ([f], machine) => singleFilter((environment, input) => mapItems(f as Filter, environment, input, machine)),
  "recurse/0": (_args, machine) => recurseAll(machine),
  "recurse/1": ([f], machine) => recurse(f as Filter, machine),
  "range/1": ([to], machine) => range([singleFilter(() => 0), to as Filter, singleFilter(() => 1)], machine),
  "range/2": ([from, to], machine) => range([from as Filter, to as Filter, singleFilter(() => 1)], machine),
  "range/3": ([from, to, by], machine) => range([from as Filter, to as Filter, by as Filter], machine),
  "first/0": () => at(0),
  "last/0": () => at(-1),
  "nth/1": ([n]) => nth(n as Filter),
  "first/1": ([f]) => first(f as Filter),
  "last/1": ([f]) => last(f as Filter),
  "nth/2": ([n, f]) => nthOutput(n as Filter, f as Filter),
  "until/2": ([done, next], machine) => until(done as Filter, next as Filter, machine),
  "while/2": ([condition, next], machine) => repeatWhile(condition as Filter, next as Filter, machine),
  "repeat/1": ([f], machine) => repeat(f as Filter, machine),
  "path/1": ([f]) => valueFilter((environment, input, emit) => (f as Filter).paths(environment, undefined, input, (link) => emit(toPath(link)))),
  "getpath/1": ([path], machine) => getpath(path as Filter, machine),
  "any/0": () => quantifier(true, undefined, undefined),
  "all/0": () => quantifier(false, undefined, undefined),
  "any/1": ([f]) => quantifier(true, undefined, f),
  "all/1": ([f]) => quantifier(false, undefined, f),
  "any/2": ([source, f]) => quantifier(true, source, f),
  "all/2": ([source, f]) => quantifier(false, source, f),
  "isempty/1": ([f]) => singleFilter((environment, input) => !firstOutput(f as Filter, environment, input)[0]),
  "sort_by/1": ([f], machine) => byKey(f as Filter, machine, "sorted", (pairs) => pairs.map((pair) => pair.item)),
  "group_by/1": ([f], machine) => byKey(f as Filter, machine, "grouped", groups),
  "unique_by/1": ([f], machine) => byKey(f as Filter, machine, "grouped", (pairs) => groups(pairs).map((group) => group[0])),
  "min_by/1": ([f], machine) => byKey(f as Filter, machine, "iterated over", (pairs) => pairs[0]?.item ?? null),
  "max_by/1": ([f], machine) => byKey(f as Filter, machine, "iterated over", (pairs) => pairs.at(-1)?.item ?? null),
};

function raise(value: unknown): never {
  throw new JqError(value);
}

function select(condition: Filter): Filter {
  return {
    run: (environment, input, emit) =>
      condition.run(environment, input, (value) => {
        if (isTruthy(value)) emit(input);
      }),
    paths: (environment, link, input, emit) =>
      condition.run(environment, input, (value) => {
        if (isTruthy(value)) emit(link, input);
      }),
  };
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return kindOf(value) === "object" ? Object.values(value as Members) : fail(`Cannot iterate over ${describe(value)}`);
}

function mapItems(f: Filter, environment: Env, input: unknown, machine: JqMachine): unknown[] {
  const items = childrenOf(input);
  machine.spend(items.length);
  const { evaluate } = f;
  if (evaluate !== undefined) return items.map((item) => evaluate(environment, item));
  const result: unknown[] = [];
  for (const item of items) f.run(environment, item, (value) => result.push(value));
  return result;
}

function recurseAll(machine: JqMachine): Filter {
  const go = (value: unknown, emit: (value: unknown) => void): void => {
    machine.spend(1);
    emit(value);
    if (typeof value === "object" && value !== null) for (const child of childrenOf(value)) go(child, emit);
  };
  const goPaths = (link: PathLink | undefined, value: unknown, emit: (link: PathLink | undefined, value: unknown) => void): void => {
    machine.spend(1);
    emit(link, value);
    if (Array.isArray(value)) value.forEach((child: unknown, index) => goPaths({ key: index, up: link }, child, emit));
    else if (kindOf(value) === "object") for (const name of Object.keys(value as object)) goPaths({ key: name, up: link }, (value as Members)[name], emit);
  };
  return { run: (_environment, input, emit) => go(input, emit), paths: (_environment, link, input, emit) => goPaths(link, input, emit) };
}

function recurse(f: Filter, machine: JqMachine): Filter {
  return {
    run(environment, input, emit) {
      const go = (value: unknown): void => {
        machine.spend(1);
        emit(value);
        f.run(environment, value, go);
      };
      go(input);
    },
    paths(environment, at, input, emit) {
      const go = (link: PathLink | undefined, value: unknown): void => {
        machine.spend(1);
        emit(link, value);
        f.paths(environment, link, value, go);
      };
      go(at, input);
    },
  };
}

function range([from, to, by]: readonly [Filter, Filter, Filter], machine: JqMachine): Filter {
  return valueFilter((environment, input, emit) =>
    from.run(environment, input, (start) =>
      to.run(environment, input, (end) =>
        by.run(environment, input, (step) => {
          if (typeof start !== "number" || typeof end !== "number" || typeof step !== "number") return fail("Range bounds must be numeric");
          for (let value = start; step > 0 ? value < end : step < 0 ? value > end : start < end; value += step) {
            machine.spend(1);
            emit(value);
          }
        }),
      ),
    ),
  );
}

function at(index: number): Filter {
  return {
    evaluate: (_environment, input) => itemAt(input, index),
    run: (_environment, input, emit) => emit(itemAt(input, index)),
    paths: (_environment, link, input, emit) => emit({ key: index, up: link }, itemAt(input, index)),
  };
}

function itemAt(input: unknown, index: number): unknown {
  if (Array.isArray(input)) return (input as unknown[]).at(Math.floor(index)) ?? null;
  return input === null ? null : fail(`Cannot index ${kindOf(input)} with number`);
}

function nth(n: Filter): Filter {
  return {
    run: (environment, input, emit) => n.run(environment, input, (index) => emit(itemAt(input, index as number))),
    paths: (environment, link, input, emit) => n.run(environment, input, (index) => emit({ key: index, up: link }, itemAt(input, index as number))),
  };
}

/** Runs `act`, which can exit early by throwing the marker it receives. */
function untilMarked(act: (mark: JqBreak) => void): void {
  const mark = new JqBreak();
  try {
    act(mark);
  } catch (error) {
    if (error !== mark) throw error;
  }
}

function first(f: Filter): Filter {
  return {
    run(environment, input, emit) {
      const [found, value] = firstOutput(f, environment, input);
      if (found) emit(value);
    },
    paths(environment, at, input, emit) {
      let found: (() => void) | undefined;
      untilMarked((mark) =>
        f.paths(environment, at, input, (link, value) => {
          found = () => emit(link, value);
          throw mark;
        }),
      );
      found?.();
    },
  };
}

function last(f: Filter): Filter {
  return {
    run(environment, input, emit) {
      let found = false;
      let latest: unknown = null;
      f.run(environment, input, (value) => {
        found = true;
        latest = value;
      });
      if (found) emit(latest);
    },
    paths(environment, at, input, emit) {
      let found: (() => void) | undefined;
      f.paths(environment, at, input, (link, value) => {
        found = () => emit(link, value);
      });
      found?.();
    },
  };
}

function nthOutput(n: Filter, f: Filter): Filter {
  return valueFilter((environment, input, emit) =>
    n.run(environment, input, (index) => {
      if (typeof index !== "number" || index < 0) fail("Out of bounds negative array index");
      let count = 0;
      const found: unknown[] = [];
      untilMarked((mark) =>
        f.run(environment, input, (value) => {
          if (count++ < index) return;
          found.push(value);
          throw mark;
        }),
      );
      if (found.length > 0) emit(found[0]);
    }),
  );
}

/** Loops while there is exactly one next value; with several, recurses for each. */
function until(done: Filter, next: Filter, machine: JqMachine): Filter {
  const go = (environment: Env, start: unknown, emit: (value: unknown) => void): void => {
    for (let value = start; ;) {
      machine.spend(1);
      const decisions = collect(done, environment, value, machine);
      if (decisions.length === 1 && decisions[0] !== undefined && !isTruthy(decisions[0])) {
        const nexts = collect(next, environment, value, machine);
        if (nexts.length === 1) {
          [value] = nexts;
          continue;
        }
        for (const item of nexts) go(environment, item, emit);
        return;
      }
      for (const decision of decisions) {
        if (isTruthy(decision)) emit(value);
        else next.run(environment, value, (item) => go(environment, item, emit));
      }
      return;
    }
  };
  return valueFilter(go);
}

function repeatWhile(condition: Filter, next: Filter, machine: JqMachine): Filter {
  const go = (environment: Env, start: unknown, emit: (value: unknown) => void): void => {
    for (let value = start; ;) {
      machine.spend(1);
      const [found, decision] = firstOutput(condition, environment, value);
      if (!found || !isTruthy(decision)) return;
      emit(value);
      const nexts = collect(next, environment, value, machine);
      if (nexts.length !== 1) {
        for (const item of nexts) go(environment, item, emit);
        return;
      }
      [value] = nexts;
    }
  };
  return valueFilter(go);
}

/** Emits the outputs of `f` in a loop, which ends at a surrounding `limit` or at the work limit. */
function repeat(f: Filter, machine: JqMachine): Filter {
  return valueFilter((environment, input, emit) => {
    for (;;) {
      machine.spend(1);
      f.run(environment, input, emit);
    }
  });
}

function getpath(path: Filter, machine: JqMachine): Filter {
  return {
    run: (environment, input, emit) => path.run(environment, input, (keys) => emit(getPath(input, expectPath(keys), machine))),
    paths: (environment, at, input, emit) =>
      path.run(environment, input, (keys) => {
        let link = at;
        for (const key of expectPath(keys)) link = { key, up: link };
        emit(link, getPath(input, expectPath(keys), machine));
      }),
  };
}

function quantifier(stopsAt: boolean, source: Filter | undefined, f: Filter | undefined): Filter {
  return singleFilter((environment, input) => {
    let result = !stopsAt;
    untilMarked((mark) => {
      const check = (value: unknown): void => {
        if (isTruthy(value) !== stopsAt) return;
        result = stopsAt;
        throw mark;
      };
      const test = (item: unknown): void => (f === undefined ? check(item) : f.run(environment, item, check));
      if (source === undefined) for (const item of childrenOf(input)) test(item);
      else source.run(environment, input, test);
    });
    return result;
  });
}

interface Keyed {
  readonly item: unknown;
  readonly key: readonly unknown[];
}

function byKey(f: Filter, machine: JqMachine, use: string, finish: (sorted: readonly Keyed[]) => unknown): Filter {
  return singleFilter((environment, input) => {
    if (!Array.isArray(input)) return fail(`${describe(input)} cannot be ${use}, as it is not an array`);
    const pairs = (input as unknown[]).map((item): Keyed => ({ item, key: collect(f, environment, item, machine) }));
    return finish(sortBy(pairs, (pair) => pair.key, machine));
  });
}

function groups(sorted: readonly Keyed[]): unknown[][] {
  const result: unknown[][] = [];
  sorted.forEach((pair, index) => {
    if (index > 0 && compare(sorted[index - 1]?.key, pair.key) === 0) result.at(-1)?.push(pair.item);
    else result.push([pair.item]);
  });
  return result;
}
