// Filters composed of filters: the parts of the language that bind no names.
import { operations } from "./jq-arithmetic.ts";
import { singleFilter, valueFilter, type Environment, type Filter } from "./jq-filter.ts";
import { JqError, type JqMachine } from "./jq-machine.ts";
import { indexValue } from "./jq-paths.ts";
import { describe, fail, isTruthy, type Members } from "./jq-values.ts";

type Env = Environment | undefined;

export const identityFilter: Filter = {
  evaluate: (_environment, input) => input,
  run: (_environment, input, emit) => emit(input),
  paths: (_environment, at, input, emit) => emit(at, input),
};

/** Calls `emit` with the result of `read`; with `isOptional`, a failure emits nothing. */
export function emitUnlessFailed(read: () => unknown, isOptional: boolean, emit: (value: unknown) => void): void {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    if (!isOptional || !(error instanceof JqError)) throw error;
    return;
  }
  emit(value);
}

export function mapFilter(of: Filter, change: (value: unknown) => unknown): Filter {
  const { evaluate } = of;
  if (evaluate !== undefined) return singleFilter((environment, input) => change(evaluate(environment, input)));
  return valueFilter((environment, input, emit) => of.run(environment, input, (value) => emit(change(value))));
}

export function indexFilter(of: Filter, key: Filter, isOptional: boolean, machine: JqMachine): Filter {
  const { evaluate } = of;
  const evaluateKey = key.evaluate;
  const paths: Filter["paths"] = (environment, at, input, emit) =>
    key.run(environment, input, (name) =>
      of.paths(environment, at, input, (link, value) =>
        emitUnlessFailed(
          () => indexValue(value, name, machine),
          isOptional,
          (found) => emit({ key: name, up: link }, found),
        ),
      ),
    );
  if (evaluate !== undefined && evaluateKey !== undefined && !isOptional) {
    const evaluateIndex = (environment: Env, input: unknown): unknown => indexValue(evaluate(environment, input), evaluateKey(environment, input), machine);
    return { evaluate: evaluateIndex, run: (environment, input, emit) => emit(evaluateIndex(environment, input)), paths };
  }
  return {
    run: (environment, input, emit) =>
      key.run(environment, input, (name) => of.run(environment, input, (value) => emitUnlessFailed(() => indexValue(value, name, machine), isOptional, emit))),
    paths,
  };
}

export function iterateFilter(of: Filter, isOptional: boolean, machine: JqMachine): Filter {
  const accepts = (value: unknown): boolean => {
    if (typeof value === "object" && value !== null) return true;
    return isOptional ? false : fail(`Cannot iterate over ${describe(value)}`);
  };
  return {
    run: (environment, input, emit) =>
      of.run(environment, input, (value) => {
        if (!accepts(value)) return;
        for (const item of Array.isArray(value) ? (value as unknown[]) : Object.values(value as Members)) {
          machine.spend(1);
          emit(item);
        }
      }),
    paths: (environment, at, input, emit) =>
      of.paths(environment, at, input, (link, value) => {
        if (!accepts(value)) return;
        const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value as object);
        for (const key of keys) {
          machine.spend(1);
          emit({ key, up: link }, (value as Members)[key]);
        }
      }),
  };
}

/** Catches only failures of the body itself, not those of later filters in the pipe. */
export function tryFilter(body: Filter, handler: Filter | undefined): Filter {
  const guard = (attempt: (leave: (act: () => void) => void) => void, onError: (value: unknown) => void): void => {
    let outside = false;
    try {
      attempt((act) => {
        outside = true;
        act();
        outside = false;
      });
    } catch (error) {
      if (outside || !(error instanceof JqError)) throw error;
      onError(error.value);
    }
  };
  return {
    run: (environment, input, emit) =>
      guard(
        (leave) => body.run(environment, input, (value) => leave(() => emit(value))),
        (value) => handler?.run(environment, value, emit),
      ),
    paths: (environment, at, input, emit) =>
      guard(
        (leave) => body.paths(environment, at, input, (link, value) => leave(() => emit(link, value))),
        (value) => handler?.paths(environment, at, value, emit),
      ),
  };
}

export function pipeFilter(left: Filter, right: Filter): Filter {
  const paths: Filter["paths"] = (environment, at, input, emit) =>
    left.paths(environment, at, input, (link, value) => right.paths(environment, link, value, emit));
  const first = left.evaluate;
  const second = right.evaluate;
  if (first !== undefined && second !== undefined) {
    const evaluate = (environment: Env, input: unknown): unknown => second(environment, first(environment, input));
    return { evaluate, run: (environment, input, emit) => emit(evaluate(environment, input)), paths, owned: pipeOwned(left, right) };
  }
  if (left.owned !== undefined && right.owned !== undefined)
    return {
      run: (environment, input, emit) => left.run(environment, input, (value) => right.run(environment, value, emit)),
      paths,
      owned: pipeOwned(left, right),
    };
  if (first !== undefined) return { run: (environment, input, emit) => right.run(environment, first(environment, input), emit), paths };
  return { run: (environment, input, emit) => left.run(environment, input, (value) => right.run(environment, value, emit)), paths };
}

function pipeOwned({ owned: first }: Filter, { owned: second }: Filter): Filter["owned"] {
  if (first === undefined || second === undefined) return undefined;
  return (environment, input, fresh) => second(environment, first(environment, input, fresh), fresh);
}

export function commaFilter(left: Filter, right: Filter): Filter {
  return {
    run(environment, input, emit) {
      left.run(environment, input, emit);
      right.run(environment, input, emit);
    },
    paths(environment, at, input, emit) {
      left.paths(environment, at, input, emit);
      right.paths(environment, at, input, emit);
    },
  };
}

export function binaryFilter(operator: string, left: Filter, right: Filter, machine: JqMachine): Filter {
  const operate = operations[operator] as (left: unknown, right: unknown, machine: JqMachine) => unknown;
  const evaluateLeft = left.evaluate;
  const evaluateRight = right.evaluate;
  if (evaluateLeft !== undefined && evaluateRight !== undefined)
    return singleFilter((environment, input) => {
      const second = evaluateRight(environment, input);
      return operate(evaluateLeft(environment, input), second, machine);
    });
  return valueFilter((environment, input, emit) =>
    right.run(environment, input, (second) => left.run(environment, input, (first) => emit(operate(first, second, machine)))),
  );
}

/** `and` and `or` with short-circuit evaluation. */
export function logicFilter(stopsAt: boolean, left: Filter, right: Filter): Filter {
  const evaluateLeft = left.evaluate;
  const evaluateRight = right.evaluate;
  if (evaluateLeft !== undefined && evaluateRight !== undefined)
    return singleFilter((environment, input) =>
      isTruthy(evaluateLeft(environment, input)) === stopsAt ? stopsAt : isTruthy(evaluateRight(environment, input)),
    );
  return valueFilter((environment, input, emit) =>
    left.run(environment, input, (first) => {
      if (isTruthy(first) === stopsAt) emit(stopsAt);
      else right.run(environment, input, (second) => emit(isTruthy(second)));
    }),
  );
}

/** `//`: the truthy outputs of the left side, or the right side when there is none. */
export function alternativeFilter(left: Filter, right: Filter): Filter {
  return {
    run(environment, input, emit) {
      let found = false;
      left.run(environment, input, (value) => {
        if (!isTruthy(value)) return;
        found = true;
        emit(value);
      });
      if (!found) right.run(environment, input, emit);
    },
    paths(environment, at, input, emit) {
      let found = false;
      left.paths(environment, at, input, (link, value) => {
        if (!isTruthy(value)) return;
        found = true;
        emit(link, value);
      });
      if (!found) right.paths(environment, at, input, emit);
    },
  };
}

export function ifFilter(condition: Filter, then: Filter, otherwise: Filter): Filter {
  const decide = condition.evaluate;
  const evaluateThen = then.evaluate;
  const evaluateOtherwise = otherwise.evaluate;
  const paths: Filter["paths"] = (environment, at, input, emit) =>
    condition.run(environment, input, (value) => (isTruthy(value) ? then : otherwise).paths(environment, at, input, emit));
  if (decide !== undefined && evaluateThen !== undefined && evaluateOtherwise !== undefined) {
    const evaluate = (environment: Env, input: unknown): unknown =>
      isTruthy(decide(environment, input)) ? evaluateThen(environment, input) : evaluateOtherwise(environment, input);
    return { evaluate, run: (environment, input, emit) => emit(evaluate(environment, input)), paths };
  }
  return {
    run: (environment, input, emit) => condition.run(environment, input, (value) => (isTruthy(value) ? then : otherwise).run(environment, input, emit)),
    paths,
  };
}
