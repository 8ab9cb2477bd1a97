// Flags for the query parameters of an operation, derived from the declarations of the API: a new filter of the API is a new flag.
import type { CallInput, OperationName } from "@sluice/client";
import { UsageError, type FlagDeclaration, type Values } from "../command/declaration.ts";
import type { ValueKind } from "../command/value-kinds.ts";
import { queryParameters } from "./query-parameters.ts";

type QueryOperation = keyof typeof queryParameters;

interface QueryParameter {
  readonly type: string;
  readonly doc: string;
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** The query of an operation; the flags accept only values of its types. */
type QueryOf<N extends OperationName> = CallInput<N> extends { readonly query?: infer Q } ? NonNullable<Q> : never;

interface FlagOptions {
  /** Parameters that the command sets itself. */
  readonly without?: readonly string[];
  /** What differs from the declaration of the API, by parameter. */
  readonly change?: Readonly<Record<string, Partial<FlagDeclaration>>>;
}

const parametersOf = (operation: QueryOperation): readonly (readonly [string, QueryParameter])[] => Object.entries(queryParameters[operation]);

/** `routeId` is the flag --route. */
const camelName = (parameter: string): string => parameter.replace(/(?<=.)Id$/, "");
export const flagName = (parameter: string): string => camelName(parameter).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function queryFlags(operation: QueryOperation, { without = [], change = {} }: FlagOptions = {}): readonly FlagDeclaration[] {
  return parametersOf(operation)
    .filter(([name]) => !without.includes(name))
    .map(([name, parameter]) => ({ ...flagOf(name, parameter), ...change[name] }));
}

/** Parameters that take an id with a declared form. */
const kinds: Readonly<Record<string, ValueKind>> = { flowId: "id", runId: "run", cursor: "cursor", since: "event" };

function flagOf(parameter: string, { type, doc, values, minimum: min = 0, maximum, default: defaultValue }: QueryParameter): FlagDeclaration {
  const common = { name: flagName(parameter), doc, ...(defaultValue === undefined ? {} : { default: String(defaultValue) }) };
  if (values !== undefined && type === "array") return { ...common, value: values.join(","), list: values };
  if (values !== undefined) return { ...common, values };
  if (type === "boolean") return { name: common.name, doc };
  // The API lowers a larger limit; here it is rejected, so that nobody mistakes a part for everything.
  const max = maximum ?? /at most (\d+)/.exec(doc)?.[1];
  const range = { min, ...(max === undefined ? {} : { max: Number(max) }) };
  if (type === "integer") return { ...common, value: "count", number: range };
  if (type === "number") return { ...common, value: "fraction", number: { ...range, allowsFractions: true } };
  if (doc.includes("(ISO 8601)"))
    return { ...common, value: "time", isTime: true, doc: doc.replace("(ISO 8601)", "(ISO 8601, or an age such as `15m`, `2h` or `3d`)") };
  const kind = kinds[parameter];
  return { ...common, value: parameter.endsWith("Id") ? "id" : "text", ...(kind === undefined ? {} : { kind }) };
}

/** The query with the values of the flags. */
export function queryOf<N extends QueryOperation>(operation: N, flags: Values): QueryOf<N> {
  const { since, until } = flags;
  // Both are times in the same format, because a parameter `until` exists only together with a time `since`.
  if (typeof since === "string" && typeof until === "string" && since > until)
    throw new UsageError(`--since must not be later than --until: ${since} is later than ${until}`);
  const query = parametersOf(operation).map(([name, { type }]) => {
    const value = flags[camelName(name)];
    if (type === "array") return [name, typeof value === "string" ? value.split(",") : undefined] as const;
    return [name, type === "integer" || type === "number" ? numberOf(value) : value] as const;
  });
  return Object.fromEntries(query) as QueryOf<N>;
}

const numberOf = (value: Values[string]): number | undefined => (typeof value === "string" ? Number(value) : undefined);
