// Assignments: `=`, `|=`, `+=` and similar. Each container is copied at most once per assignment, regardless of the number of paths. When a reduce
// repeats the assignment, each container is copied only once for the whole reduce.
import { add, operations } from "./jq-arithmetic.ts";
import { valueFilter, type Environment, type Filter, type OwnedUpdate } from "./jq-filter.ts";
import { JqBreak, type JqMachine } from "./jq-machine.ts";
import { deletePaths, getPath, setPath, toPath } from "./jq-paths.ts";
import type { Ast } from "./jq-tree.ts";
import { isTruthy, kindOf, setMember, type Members } from "./jq-values.ts";

export function compileUpdate(operator: string, left: Filter, right: Filter, value: Ast, machine: JqMachine): Filter {
  if (operator === "|=") {
    const owned: OwnedUpdate = (environment, input, fresh) => modify(left, right, environment, input, machine, fresh);
    return { ...valueFilter((environment, input, emit) => emit(owned(environment, input, new Set()))), owned };
  }
  const combine = combination(operator, machine);
  const assign = (environment: Environment | undefined, input: unknown, operand: unknown, fresh: Set<unknown>): unknown => {
    let result = input;
    const paths: unknown[][] = [];
    left.paths(environment, undefined, input, (link) => paths.push(toPath(link)));
    for (const path of paths) result = setPath(result, path, combine(getPath(result, path, machine), operand), machine, fresh);
    return result;
  };
  const filter = valueFilter((environment, input, emit) => right.run(environment, input, (operand) => emit(assign(environment, input, operand, new Set()))));
  const { evaluate } = right;
  if (evaluate === undefined || !isIndependentOfInput(value)) return filter;
  return { ...filter, owned: (environment, input, fresh) => assign(environment, input, evaluate(environment, input), fresh) };
}

/** `. + x` inside a reduce: the accumulated list or object grows in place. */
export function ownedAddition(right: Filter, value: Ast, machine: JqMachine): OwnedUpdate | undefined {
  const { evaluate } = right;
  if (evaluate === undefined || !isIndependentOfInput(value)) return undefined;
  return (environment, input, fresh) => {
    const operand = evaluate(environment, input);
    if (!fresh.has(input) || kindOf(input) !== kindOf(operand)) {
      const sum = add(input, operand, machine);
      if (sum !== input && sum !== operand && typeof sum === "object") fresh.add(sum);
      return sum;
    }
    if (Array.isArray(operand)) {
      machine.spend(operand.length / 16);
      for (const item of operand as unknown[]) (input as unknown[]).push(item);
      return input;
    }
    for (const name of Object.keys(operand as object)) {
      machine.spend(0.5);
      setMember(input as Members, name, (operand as Members)[name]);
    }
    return input;
  };
}

/** True when the value cannot contain a container of the input, so that the input may still be changed in place. */
function isIndependentOfInput(ast: Ast): boolean {
  switch (ast.kind) {
    case "literal":
    case "variable":
      return true;
    case "index":
      return isIndependentOfInput(ast.of);
    case "array":
      return ast.of === undefined || isIndependentOfInput(ast.of);
    case "object":
      return ast.entries.every((entry) => isIndependentOfInput(entry.value));
    case "pipe":
      return isIndependentOfInput(ast.left);
    case "comma":
    case "binary":
      return isIndependentOfInput(ast.left) && isIndependentOfInput(ast.right);
    default:
      return false;
  }
}

function combination(operator: string, machine: JqMachine): (old: unknown, value: unknown) => unknown {
  if (operator === "=") return (_old, value) => value;
  if (operator === "//=") return (old, value) => (isTruthy(old) ? old : value);
  const operate = operations[operator.slice(0, -1)] as (left: unknown, right: unknown, machine: JqMachine) => unknown;
  return (old, value) => operate(old, value, machine);
}

/** Sets every path to the first output of `update`; paths without an output are deleted. */
function modify(left: Filter, update: Filter, environment: Environment | undefined, input: unknown, machine: JqMachine, fresh: Set<unknown>): unknown {
  const pathsToDelete: unknown[][] = [];
  const paths: unknown[][] = [];
  let result = input;
  left.paths(environment, undefined, input, (link) => paths.push(toPath(link)));
  for (const path of paths) {
    machine.spend(1);
    const old = getPath(result, path, machine);
    // The result of the update may contain the old value, which must not be changed in place from then on.
    if (fresh.has(old)) fresh.clear();
    const [found, value] = firstOutput(update, environment, old);
    if (found) result = setPath(result, path, value, machine, fresh);
    else pathsToDelete.push(path);
  }
  return pathsToDelete.length === 0 ? result : deletePaths(result, pathsToDelete, machine);
}

/** The first output of a filter, if there is one; the rest is not computed. */
export function firstOutput(filter: Filter, environment: Environment | undefined, input: unknown): readonly [boolean, unknown] {
  if (filter.evaluate !== undefined) return [true, filter.evaluate(environment, input)];
  const mark = new JqBreak();
  let value: unknown = null;
  try {
    filter.run(environment, input, (output) => {
      value = output;
      throw mark;
    });
  } catch (error) {
    if (error !== mark) throw error;
    return [true, value];
  }
  return [false, null];
}
