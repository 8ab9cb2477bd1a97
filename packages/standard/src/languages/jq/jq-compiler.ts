import { CompileError } from "@sluice/engine/spi";
import { negate } from "./jq-arithmetic.ts";
import { compileBinding } from "./jq-binding.ts";
import { findBuiltin, refusedNames } from "./jq-builtins.ts";
import {
  alternativeFilter,
  binaryFilter,
  commaFilter,
  emitUnlessFailed,
  identityFilter,
  ifFilter,
  indexFilter,
  iterateFilter,
  logicFilter,
  mapFilter,
  pipeFilter,
  tryFilter,
} from "./jq-combinators.ts";
import { ancestor, collect, eachCombination, singleFilter, valueFilter, type Closure, type Environment, type Filter } from "./jq-filter.ts";
import { formatValue } from "./jq-formats.ts";
import { JqBreak, type JqMachine } from "./jq-machine.ts";
import { sliceValue } from "./jq-paths.ts";
import { Scope, type FunctionEntry } from "./jq-scope.ts";
import type { Ast } from "./jq-tree.ts";
import { compileUpdate, ownedAddition } from "./jq-update.ts";
import { describe, fail, setMember, toText, type Members } from "./jq-values.ts";

/** Maximum depth of the tree of a program. The depth of a chain such as `1 + 1 + 1` is its number of operators. */
const maxDepth = 500;

/** Compiles parsed programs for one machine. Functions written in jq are compiled on first use. */
export class JqCompiler {
  readonly machine: JqMachine;
  #depth = 0;
  readonly #prelude = new Map<string, FunctionEntry>();

  constructor(machine: JqMachine) {
    this.machine = machine;
  }

  compile(ast: Ast, scope: Scope): Filter {
    if (++this.#depth > maxDepth)
      throw new CompileError("jq-syntax", `jq: more than ${maxDepth} operators are nested or chained`, { hint: "split the program into several steps" });
    const filter = this.#compileNode(ast, scope);
    this.#depth--;
    return filter;
  }

  #compileNode(ast: Ast, scope: Scope): Filter {
    switch (ast.kind) {
      case "identity":
        return identityFilter;
      case "literal":
        return singleFilter(() => ast.value);
      case "text":
        return this.#text(ast.parts, ast.format, scope);
      case "format":
        return singleFilter((_environment, input) => formatValue(ast.name, input, this.machine));
      case "index":
        return indexFilter(this.compile(ast.of, scope), this.compile(ast.key, scope), ast.optional === true, this.machine);
      case "slice":
        return this.#slice(ast, scope);
      case "iterate":
        return iterateFilter(this.compile(ast.of, scope), ast.optional === true, this.machine);
      case "try":
        return tryFilter(this.compile(ast.body, scope), ast.handler === undefined ? undefined : this.compile(ast.handler, scope));
      case "array":
        return this.#array(ast.of === undefined ? undefined : this.compile(ast.of, scope));
      case "object":
        return this.#object(ast.entries, scope);
      case "negate":
        return mapFilter(this.compile(ast.of, scope), negate);
      default:
        return this.#compileControl(ast, scope);
    }
  }

  #compileControl(ast: Ast, scope: Scope): Filter {
    switch (ast.kind) {
      case "pipe":
        return pipeFilter(this.compile(ast.left, scope), this.compile(ast.right, scope));
      case "comma":
        return commaFilter(this.compile(ast.left, scope), this.compile(ast.right, scope));
      case "binary":
        return this.#binary(ast, this.compile(ast.right, scope), scope);
      case "and":
      case "or":
        return logicFilter(ast.kind === "or", this.compile(ast.left, scope), this.compile(ast.right, scope));
      case "alternative":
        return alternativeFilter(this.compile(ast.left, scope), this.compile(ast.right, scope));
      case "update":
        return compileUpdate(ast.operator, this.compile(ast.left, scope), this.compile(ast.right, scope), ast.right, this.machine);
      case "if":
        return ifFilter(this.compile(ast.condition, scope), this.compile(ast.then, scope), this.compile(ast.otherwise, scope));
      case "reduce":
      case "foreach":
      case "bind":
        return compileBinding(ast, scope, this);
      case "define":
        return this.compile(ast.rest, scope.withFunction(ast.definition.name, ast.definition.parameters, ast.definition.body));
      case "call":
        return this.#call(ast, scope);
      case "variable":
        return this.#variable(ast.name, ast.offset, scope);
      case "label":
        return this.#label(this.compile(ast.body, scope.with("label", ast.name)));
      case "break":
        return this.#break(ast.name, ast.offset, scope);
      default:
        throw new Error(`no filter for ${ast.kind}`);
    }
  }

  #text(parts: readonly (string | Ast)[], format: string | undefined, scope: Scope): Filter {
    const filters = parts.map((part) => (typeof part === "string" ? singleFilter(() => part) : this.compile(part, scope)));
    const literal = parts.map((part) => typeof part === "string");
    return valueFilter((environment, input, emit) =>
      eachCombination(filters, environment, input, (values) => {
        let text = "";
        values.forEach((value, index) => {
          text += literal[index] === true ? (value as string) : format === undefined ? toText(value, this.machine) : formatValue(format, value, this.machine);
        });
        this.machine.chargeText(text.length);
        emit(text);
      }),
    );
  }

  #slice(ast: Ast & { kind: "slice" }, scope: Scope): Filter {
    const { machine } = this;
    const of = this.compile(ast.of, scope);
    const nothing = singleFilter(() => null);
    const from = ast.from === undefined ? nothing : this.compile(ast.from, scope);
    const to = ast.to === undefined ? nothing : this.compile(ast.to, scope);
    const forEachRange = (environment: Environment | undefined, input: unknown, act: (start: unknown, end: unknown) => void): void =>
      from.run(environment, input, (start) => to.run(environment, input, (end) => act(start, end)));
    return {
      run: (environment, input, emit) =>
        forEachRange(environment, input, (start, end) =>
          of.run(environment, input, (value) => emitUnlessFailed(() => sliceValue(value, start, end, machine), ast.optional === true, emit)),
        ),
      paths: (environment, at, input, emit) =>
        forEachRange(environment, input, (start, end) =>
          of.paths(environment, at, input, (link, value) =>
            emitUnlessFailed(
              () => sliceValue(value, start, end, machine),
              ast.optional === true,
              (found) => emit({ key: { start, end }, up: link }, found),
            ),
          ),
        ),
    };
  }

  #binary(ast: Ast & { kind: "binary" }, right: Filter, scope: Scope): Filter {
    const filter = binaryFilter(ast.operator, this.compile(ast.left, scope), right, this.machine);
    if (ast.operator !== "+" || ast.left.kind !== "identity") return filter;
    return { ...filter, owned: ownedAddition(right, ast.right, this.machine) };
  }

  #array(of: Filter | undefined): Filter {
    const { machine } = this;
    if (of === undefined) return singleFilter(() => []);
    return singleFilter((environment, input) => collect(of, environment, input, machine));
  }

  #object(entries: readonly { readonly key: Ast; readonly value: Ast }[], scope: Scope): Filter {
    const compiled = entries.map(({ key, value }) => ({ key: this.compile(key, scope), value: this.compile(value, scope) }));
    const singles = compiled.every(({ key, value }) => key.evaluate !== undefined && value.evaluate !== undefined);
    if (singles)
      return singleFilter((environment, input) => {
        const object: Members = {};
        for (const { key, value } of compiled) setMember(object, memberName(key.evaluate?.(environment, input)), value.evaluate?.(environment, input));
        return object;
      });
    return valueFilter((environment, input, emit) => {
      const fill = (index: number, object: Members): void => {
        const entry = compiled[index];
        this.machine.spend(1);
        if (entry === undefined) {
          emit(object);
          return;
        }
        entry.key.run(environment, input, (key) => {
          const name = memberName(key);
          entry.value.run(environment, input, (value) => {
            const next = { ...object };
            setMember(next, name, value);
            fill(index + 1, next);
          });
        });
      };
      fill(0, {});
    });
  }

  #variable(name: string, offset: number, scope: Scope): Filter {
    const entry = scope.find((candidate) => candidate.kind === "variable" && candidate.name === name);
    if (entry === undefined) {
      const message = name === "ENV" ? "jq: $ENV is not allowed: read environment variables with ${env:NAME} in simple" : `jq: $${name} is not defined`;
      throw new CompileError(name === "ENV" ? "jq-refused" : "jq-name", message, { offset });
    }
    const steps = scope.level - entry.level;
    return singleFilter((environment) => ancestor(environment, steps)?.value);
  }

  #label(body: Filter): Filter {
    const within = (environment: Environment | undefined, act: (inner: Environment) => void): void => {
      const mark = new JqBreak();
      try {
        act({ value: mark, up: environment });
      } catch (error) {
        if (error !== mark) throw error;
      }
    };
    return {
      run: (environment, input, emit) => within(environment, (inner) => body.run(inner, input, emit)),
      paths: (environment, at, input, emit) => within(environment, (inner) => body.paths(inner, at, input, emit)),
    };
  }

  #break(name: string, offset: number, scope: Scope): Filter {
    const entry = scope.find((candidate) => candidate.kind === "label" && candidate.name === name);
    if (entry === undefined) throw new CompileError("jq-name", `jq: unknown label $${name}`, { hint: `define it with label $${name} | …`, offset });
    const steps = scope.level - entry.level;
    const leave = (environment: Environment | undefined): never => {
      throw ancestor(environment, steps)?.value;
    };
    return { run: leave, paths: leave };
  }

  #call(ast: Ast & { kind: "call" }, scope: Scope): Filter {
    const arity = ast.arguments.length;
    const entry = scope.find(
      (candidate) =>
        candidate.name === ast.name &&
        ((candidate.kind === "closure" && arity === 0) || (candidate.kind === "function" && candidate.parameters.length === arity)),
    );
    if (entry?.kind === "closure") return this.#callParameter(scope.level - entry.level);
    if (entry?.kind === "function") return this.#callFunction(entry, ast.arguments, scope);
    const builtin = findBuiltin(ast.name, arity);
    if (builtin?.kind === "native")
      return builtin.create(
        ast.arguments.map((argument) => this.compile(ast.name === "constant" ? asWord(argument) : argument, scope)),
        this.machine,
      );
    if (builtin?.kind === "defined") {
      const key = `${ast.name}/${arity}`;
      let cached = this.#prelude.get(key);
      if (cached === undefined) {
        cached = new Scope().withFunction(builtin.definition.name, builtin.definition.parameters, builtin.definition.body).entry as FunctionEntry;
        this.#prelude.set(key, cached);
      }
      return this.#callFunction(cached, ast.arguments, scope);
    }
    const reason = refusedNames.get(ast.name);
    if (reason !== undefined) throw new CompileError("jq-refused", `jq: ${ast.name} is not allowed: ${reason}`, { offset: ast.offset });
    throw new CompileError("jq-name", `jq: ${ast.name}/${arity} is not defined`, {
      hint: "use a builtin of jq, or define the function with def",
      offset: ast.offset,
    });
  }

  #callParameter(steps: number): Filter {
    const { machine } = this;
    return {
      run(environment, input, emit) {
        machine.spend(1);
        const { filter, environment: callerEnvironment } = closureAt(environment, steps);
        filter.run(callerEnvironment, input, emit);
      },
      paths(environment, at, input, emit) {
        machine.spend(1);
        const { filter, environment: callerEnvironment } = closureAt(environment, steps);
        filter.paths(callerEnvironment, at, input, emit);
      },
    };
  }

  #callFunction(entry: FunctionEntry, args: readonly Ast[], scope: Scope): Filter {
    const { machine } = this;
    if (!entry.started) {
      entry.started = true;
      entry.compiled = this.#functionBody(entry);
    }
    const filters = args.map((argument) => this.compile(argument, scope));
    const steps = scope.level - entry.level;
    const enter = (environment: Environment | undefined): Environment | undefined => {
      machine.spend(1);
      let inner = ancestor(environment, steps);
      for (const filter of filters) inner = { value: { filter, environment } satisfies Closure, up: inner };
      return inner;
    };
    return {
      run: (environment, input, emit) => entry.compiled?.run(enter(environment), input, emit),
      paths: (environment, at, input, emit) => entry.compiled?.paths(enter(environment), at, input, emit),
    };
  }

  /** `def f($a): …` means `def f(a): a as $a | …`. */
  #functionBody(entry: FunctionEntry): Filter {
    let scope = entry.scope;
    for (const parameter of entry.parameters) scope = scope.with("closure", parameter.replace(/^\$/, ""));
    let body = entry.body;
    for (const parameter of entry.parameters.toReversed()) {
      if (!parameter.startsWith("$")) continue;
      const name = parameter.slice(1);
      body = { kind: "bind", source: { kind: "call", name, arguments: [], offset: 0 }, patterns: [{ kind: "name", name }], body };
    }
    return this.compile(body, scope);
  }
}

function closureAt(environment: Environment | undefined, steps: number): Closure {
  return (ancestor(environment, steps) as Environment).value as Closure;
}

function memberName(key: unknown): string {
  return typeof key === "string" ? key : fail(`Object keys must be strings, not ${describe(key)}`);
}

/** Camel's `constant(sweden)` takes a bare word as text. */
const asWord = (argument: Ast): Ast => (argument.kind === "call" && argument.arguments.length === 0 ? { kind: "literal", value: argument.name } : argument);
