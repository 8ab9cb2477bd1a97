import { filterBuiltins, type CreateFilter } from "./jq-filters.ts";
import { eachCombination, singleFilter, valueFilter, type Filter } from "./jq-filter.ts";
import { valueFunctions, type ValueFunction } from "./jq-functions.ts";
import type { JqMachine } from "./jq-machine.ts";
import { mathFunctions } from "./jq-math.ts";
import { parseDefinitions } from "./jq-parser.ts";
import { preludeSource } from "./jq-prelude.ts";
import { regexBuiltins } from "./jq-regex-filters.ts";
import type { Definition } from "./jq-tree.ts";

export type Builtin = { readonly kind: "native"; readonly create: CreateFilter } | { readonly kind: "defined"; readonly definition: Definition };

/** Builtins and keywords of jq that flows may not use, each with the reason or the alternative. */
export const refusedNames: ReadonlyMap<string, string> = new Map([
  ["env", "read environment variables with ${env:NAME} in simple"],
  ["input", "the message is the only input"],
  ["inputs", "the message is the only input"],
  ["input_filename", "there is no input file"],
  ["halt", "use the step stop"],
  ["halt_error", "use error(…)"],
  ["get_search_list", "modules are not supported"],
  ["modulemeta", "modules are not supported"],
  ["import", "modules are not supported"],
  ["include", "modules are not supported"],
]);

let definitions: ReadonlyMap<string, Definition> | undefined;

function prelude(): ReadonlyMap<string, Definition> {
  definitions ??= new Map(parseDefinitions(preludeSource).map((definition) => [`${definition.name}/${definition.parameters.length}`, definition]));
  return definitions;
}

export function findBuiltin(name: string, arity: number): Builtin | undefined {
  const key = `${name}/${arity}`;
  if (key === "builtins/0") return { kind: "native", create: () => singleFilter(() => builtinNames()) };
  if (Object.hasOwn(filterBuiltins, key)) return { kind: "native", create: filterBuiltins[key] as CreateFilter };
  if (Object.hasOwn(regexBuiltins, key)) return { kind: "native", create: regexBuiltins[key] as CreateFilter };
  if (Object.hasOwn(valueFunctions, key)) return { kind: "native", create: ofValues(valueFunctions[key] as ValueFunction) };
  if (Object.hasOwn(mathFunctions, key)) return { kind: "native", create: ofValues(mathFunctions[key] as ValueFunction) };
  const definition = prelude().get(key);
  return definition === undefined ? undefined : { kind: "defined", definition };
}

function builtinNames(): string[] {
  return [...Object.keys(filterBuiltins), ...Object.keys(regexBuiltins), ...Object.keys(valueFunctions), ...Object.keys(mathFunctions), ...prelude().keys()]
    .filter((name) => name !== "capture_object/0")
    .sort();
}

function ofValues(compute: ValueFunction): CreateFilter {
  return (args: readonly Filter[], machine: JqMachine) => {
    const [first] = args;
    if (first === undefined)
      return singleFilter((_environment, input) => {
        machine.spend(0.5);
        return compute(machine, input);
      });
    const { evaluate } = first;
    if (args.length === 1 && evaluate !== undefined)
      return singleFilter((environment, input) => {
        machine.spend(0.5);
        return compute(machine, input, evaluate(environment, input));
      });
    return valueFilter((environment, input, emit) =>
      eachCombination(args, environment, input, (values) => {
        machine.spend(1);
        emit(compute(machine, input, ...values));
      }),
    );
  };
}
