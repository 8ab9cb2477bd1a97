// Builtins that match strings with patterns and return several outputs or run a filter per match.
import { eachCombination, singleFilter, valueFilter, type Filter } from "./jq-filter.ts";
import type { CreateFilter } from "./jq-filters.ts";
import type { JqMachine } from "./jq-machine.ts";
import { captureOf, matchText } from "./jq-regex.ts";
import { describe, fail } from "./jq-values.ts";

export const regexBuiltins: Readonly<Record<string, CreateFilter>> = {
  "match/2": ([pattern, flags], machine) =>
    valueFilter((environment, input, emit) =>
      eachCombination([pattern as Filter, flags as Filter], environment, input, ([source, letters]) => {
        for (const match of matchText(input, source, letters, machine)) emit(match.value);
      }),
    ),
  "split/2": ([pattern, flags], machine) =>
    valueFilter((environment, input, emit) =>
      eachCombination([pattern as Filter, flags as Filter], environment, input, ([source, letters]) => emit(splitByPattern(input, source, letters, machine))),
    ),
  "sub/2": ([pattern, replacement], machine) =>
    substitute(
      pattern as Filter,
      replacement as Filter,
      singleFilter(() => ""),
      machine,
    ),
  "sub/3": ([pattern, replacement, flags], machine) => substitute(pattern as Filter, replacement as Filter, flags as Filter, machine),
  "gsub/2": ([pattern, replacement], machine) =>
    substitute(
      pattern as Filter,
      replacement as Filter,
      singleFilter(() => "g"),
      machine,
    ),
  "gsub/3": ([pattern, replacement, flags], machine) =>
    substitute(
      pattern as Filter,
      replacement as Filter,
      valueFilter((environment, input, emit) => (flags as Filter).run(environment, input, (value) => emit(`${String(value ?? "")}g`))),
      machine,
    ),
};

function splitByPattern(input: unknown, source: unknown, letters: unknown, machine: JqMachine): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of matchText(input, source, `g${String(letters ?? "")}`, machine)) {
    parts.push((input as string).slice(from, match.start));
    from = match.end;
  }
  parts.push((input as string).slice(from));
  return parts;
}

/** Each match replaced by the result of the replacement for its named groups; several outputs produce several strings. */
function substitute(pattern: Filter, replacement: Filter, flags: Filter, machine: JqMachine): Filter {
  return valueFilter((environment, input, emit) =>
    eachCombination([pattern, flags], environment, input, ([source, letters]) => {
      const matches = matchText(input, source, letters, machine);
      const text = input as string;
      const build = (index: number, from: number, result: string): void => {
        const match = matches[index];
        if (match === undefined) {
          machine.chargeText(result.length + text.length - from);
          emit(result + text.slice(from));
          return;
        }
        replacement.run(environment, captureOf(match.value), (value) => {
          if (typeof value !== "string") fail(`${describe(value)} cannot be added to a string`);
          build(index + 1, match.end, result + text.slice(from, match.start) + String(value));
        });
      };
      const evaluateReplacement = replacement.evaluate;
      if (evaluateReplacement === undefined) {
        build(0, 0, "");
        return;
      }
      let result = "";
      let from = 0;
      for (const match of matches) {
        const value = evaluateReplacement(environment, captureOf(match.value));
        if (typeof value !== "string") fail(`${describe(value)} cannot be added to a string`);
        result += text.slice(from, match.start) + String(value);
        from = match.end;
      }
      machine.chargeText(result.length + text.length - from);
      emit(result + text.slice(from));
    }),
  );
}
