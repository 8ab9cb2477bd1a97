// The compiled form of a jq program: closures that push every output to `emit`. Three variants: values, values with their path, and, for filters
// with exactly one output, a plain function.
import type { JqMachine } from "./jq-machine.ts";
import { JqError } from "./jq-machine.ts";
import type { PathLink } from "./jq-paths.ts";

/** Variables, parameters and labels in scope, innermost first; their depth is known at compile time. */
export interface Environment {
  readonly value: unknown;
  readonly up: Environment | undefined;
}

type Emit = (value: unknown) => void;
type EmitPath = (at: PathLink | undefined, value: unknown) => void;

export interface Filter {
  run(environment: Environment | undefined, input: unknown, emit: Emit): void;
  paths(environment: Environment | undefined, at: PathLink | undefined, input: unknown, emit: EmitPath): void;
  /** Returns the output; defined only for filters that always have exactly one output. */
  readonly evaluate?: ((environment: Environment | undefined, input: unknown) => unknown) | undefined;
  /** Like `evaluate`, but containers in `fresh` are owned by the caller and may be changed in place, as in a reduce. */
  readonly owned?: OwnedUpdate | undefined;
}

export type OwnedUpdate = (environment: Environment | undefined, input: unknown, fresh: Set<unknown>) => unknown;

/** A filter passed as an argument, with the environment of the caller. */
export interface Closure {
  readonly filter: Filter;
  readonly environment: Environment | undefined;
}

export function ancestor(environment: Environment | undefined, steps: number): Environment | undefined {
  let at = environment;
  for (let index = 0; index < steps; index++) at = at?.up;
  return at;
}

/** A filter that computes a value and so has no path. */
export function valueFilter(run: Filter["run"]): Filter {
  return { run, paths: (environment, _at, input, emit) => run(environment, input, (value) => emit(noPath(value), value)) };
}

/** A filter with exactly one output. */
export function singleFilter(evaluate: NonNullable<Filter["evaluate"]>): Filter {
  return {
    evaluate,
    run: (environment, input, emit) => emit(evaluate(environment, input)),
    paths: (environment, _at, input) => void noPath(evaluate(environment, input)),
  };
}

function noPath(value: unknown): never {
  const text = JSON.stringify(value ?? null);
  throw new JqError(`Invalid path expression with result ${text.length > 30 ? `${text.slice(0, 27)}...` : text}`);
}

/** All outputs of a filter as a list. */
export function collect(filter: Filter, environment: Environment | undefined, input: unknown, machine: JqMachine): unknown[] {
  const found: unknown[] = [];
  filter.run(environment, input, (value) => {
    machine.spend(0.25);
    found.push(value);
  });
  return found;
}

/** Calls `act` with every combination of the arguments' outputs; the last argument varies slowest, as in jq. */
export function eachCombination(
  filters: readonly Filter[],
  environment: Environment | undefined,
  input: unknown,
  act: (values: readonly unknown[]) => void,
): void {
  const values: unknown[] = Array.from({ length: filters.length }, () => null);
  const choose = (index: number): void => {
    if (index < 0) {
      act(values);
      return;
    }
    (filters[index] as Filter).run(environment, input, (value) => {
      values[index] = value;
      choose(index - 1);
    });
  };
  choose(filters.length - 1);
}
