// `as`, `reduce` and `foreach`: values destructured by patterns and bound to variables.
import type { JqCompiler } from "./jq-compiler.ts";
import type { Environment, Filter } from "./jq-filter.ts";
import { JqError } from "./jq-machine.ts";
import { indexValue } from "./jq-paths.ts";
import type { Scope } from "./jq-scope.ts";
import { variablesOf, type Ast, type Pattern } from "./jq-tree.ts";

type Bound = (environment: Environment | undefined) => void;
/** Calls `act` once for each way to destructure the value. */
type Destructure = (environment: Environment | undefined, value: unknown, act: Bound) => void;

type BindingAst = Ast & { kind: "bind" | "reduce" | "foreach" };

export function compileBinding(ast: BindingAst, scope: Scope, compiler: JqCompiler): Filter {
  const names = [...new Set(ast.patterns.flatMap(variablesOf))];
  let inner = scope;
  for (const name of names) inner = inner.with("variable", name);
  const source = compiler.compile(ast.source, scope);
  const simple = ast.patterns.length === 1 && ast.patterns[0]?.kind === "name";
  const alternatives = ast.patterns.map((pattern) => compilePattern(pattern, names, inner, compiler));
  const bind: Destructure = simple ? (environment, value, act) => act({ value, up: environment }) : tryEach(alternatives, names.length);
  if (ast.kind === "bind") return compileBind(source, bind, compiler.compile(ast.body, inner));
  const start = compiler.compile(ast.start, scope);
  const update = compiler.compile(ast.update, inner);
  if (ast.kind === "reduce") return compileReduce(source, bind, start, update, compiler);
  return compileForeach(source, bind, { start, update, extract: ast.extract === undefined ? undefined : compiler.compile(ast.extract, inner) }, compiler);
}

function compileBind(source: Filter, bind: Destructure, body: Filter): Filter {
  return {
    run: (environment, input, emit) => source.run(environment, input, (value) => bind(environment, value, (inner) => body.run(inner, input, emit))),
    paths: (environment, at, input, emit) => source.run(environment, input, (value) => bind(environment, value, (inner) => body.paths(inner, at, input, emit))),
  };
}

function compileReduce(source: Filter, bind: Destructure, start: Filter, update: Filter, { machine }: JqCompiler): Filter {
  return {
    run: (environment, input, emit) =>
      start.run(environment, input, (first) => {
        let state = first;
        const fresh = new Set<unknown>();
        source.run(environment, input, (value) =>
          bind(environment, value, (inner) => {
            machine.spend(1);
            if (update.owned !== undefined) {
              state = update.owned(inner, state, fresh);
              return;
            }
            let next: unknown = null;
            update.run(inner, state, (result) => {
              next = result;
            });
            state = next;
          }),
        );
        emit(state);
      }),
    paths: (environment, at, input, emit) =>
      start.paths(environment, at, input, (firstLink, first) => {
        let link = firstLink;
        let state = first;
        source.run(environment, input, (value) =>
          bind(environment, value, (inner) => {
            machine.spend(1);
            update.paths(inner, link, state, (nextLink, next) => {
              link = nextLink;
              state = next;
            });
          }),
        );
        emit(link, state);
      }),
  };
}

interface ForeachParts {
  readonly start: Filter;
  readonly update: Filter;
  readonly extract: Filter | undefined;
}

function compileForeach(source: Filter, bind: Destructure, { start, update, extract }: ForeachParts, { machine }: JqCompiler): Filter {
  return {
    run: (environment, input, emit) =>
      start.run(environment, input, (first) => {
        let state = first;
        source.run(environment, input, (value) =>
          bind(environment, value, (inner) => {
            machine.spend(1);
            update.run(inner, state, (next) => {
              state = next;
              if (extract === undefined) emit(next);
              else extract.run(inner, next, emit);
            });
          }),
        );
      }),
    paths: (environment, at, input, emit) =>
      start.paths(environment, at, input, (firstLink, first) => {
        let link = firstLink;
        let state = first;
        source.run(environment, input, (value) =>
          bind(environment, value, (inner) => {
            machine.spend(1);
            update.paths(inner, link, state, (nextLink, next) => {
              link = nextLink;
              state = next;
              if (extract === undefined) emit(nextLink, next);
              else extract.paths(inner, nextLink, next, emit);
            });
          }),
        );
      }),
  };
}

/** Patterns separated by `?//`: if a pattern does not match, or the body fails with its bindings, the next pattern is tried. */
function tryEach(alternatives: readonly FillSlots[], count: number): Destructure {
  return (environment, value, act) => {
    for (let index = 0; index < alternatives.length; index++) {
      const slots: unknown[] = Array.from({ length: count }, () => null);
      const finish = (): void => {
        let inner = environment;
        for (const slot of slots) inner = { value: slot, up: inner };
        act(inner);
      };
      if (index === alternatives.length - 1) {
        (alternatives[index] as FillSlots)(environment, value, slots, finish);
        return;
      }
      try {
        (alternatives[index] as FillSlots)(environment, value, slots, finish);
        return;
      } catch (error) {
        if (!(error instanceof JqError)) throw error;
      }
    }
  };
}

type FillSlots = (environment: Environment | undefined, value: unknown, slots: unknown[], act: () => void) => void;

/** Fills the slots of the pattern's variables from a value. Keys that are programs can use the variables bound so far. */
function compilePattern(pattern: Pattern, names: readonly string[], scope: Scope, compiler: JqCompiler): FillSlots {
  if (pattern.kind === "name") {
    const slot = names.indexOf(pattern.name);
    return (_environment, value, slots, act) => {
      slots[slot] = value;
      act();
    };
  }
  const parts = pattern.kind === "list" ? listParts(pattern.items, names, scope, compiler) : memberParts(pattern.members, names, scope, compiler);
  return (environment, value, slots, act) => {
    const next = (index: number): void => {
      const part = parts[index];
      if (part === undefined) act();
      else part(environment, value, slots, () => next(index + 1));
    };
    next(0);
  };
}

function listParts(items: readonly Pattern[], names: readonly string[], scope: Scope, compiler: JqCompiler): FillSlots[] {
  return items.map((item, index) => {
    const fill = compilePattern(item, names, scope, compiler);
    return (environment, value, slots, act) => fill(environment, indexValue(value, index, compiler.machine), slots, act);
  });
}

function memberParts(members: (Pattern & { kind: "members" })["members"], names: readonly string[], scope: Scope, compiler: JqCompiler): FillSlots[] {
  return members.map((member) => {
    const key = compiler.compile(member.key, scope);
    const slot = member.name === undefined ? -1 : names.indexOf(member.name);
    const fill = member.value === undefined ? undefined : compilePattern(member.value, names, scope, compiler);
    return (environment, value, slots, act) => {
      let inner = environment;
      for (const bound of slots) inner = { value: bound, up: inner };
      key.run(inner, value, (name) => {
        if (typeof name !== "string") throw new JqError(`Cannot index object with ${typeof name}`);
        const found = indexValue(value, name, compiler.machine);
        if (slot >= 0) slots[slot] = found;
        if (fill === undefined) act();
        else fill(environment, found, slots, act);
      });
    };
  });
}
