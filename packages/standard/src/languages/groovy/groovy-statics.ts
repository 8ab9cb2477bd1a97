// The few Java and Groovy classes that one-line scripts use.
import type { Host } from "@sluice/engine/spi";
import { asJson, parseJsonText } from "@sluice/engine/values";
import { fault, groovyText } from "./groovy-operators.ts";
import { formatted, parseDecimal, parseWhole } from "./groovy-text-methods.ts";

export type Statics = Readonly<Record<string, (parameters: readonly unknown[], host: Host) => unknown>>;

const numbers = (parameters: readonly unknown[]): number[] => parameters.map(Number);

function parsedJson(text: unknown): unknown {
  try {
    return parseJsonText(groovyText(text));
  } catch (error) {
    throw fault("groovy.json.JsonException", `the text is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Hexadecimal digits in the form of a version 4 UUID, for identification only: the host's generator is not cryptographically secure.
 */
function randomUuid(host: Host): string {
  const digit = (): string => Math.floor(host.random() * 16).toString(16);
  return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replaceAll("x", digit);
}

const now = (host: Host): Date => new Date(host.clock.now());
const isoDate = (host: Host): string => now(host).toISOString();

/** Static calls by class and method. */
export const statics: Readonly<Record<string, Statics>> = {
  Math: {
    abs: (given) => Math.abs(Number(given[0])),
    round: (given) => Math.floor(Number(given[0]) + 0.5),
    floor: (given) => Math.floor(Number(given[0])),
    ceil: (given) => Math.ceil(Number(given[0])),
    max: (given) => Math.max(...numbers(given)),
    min: (given) => Math.min(...numbers(given)),
    pow: (given) => Number(given[0]) ** Number(given[1]),
    sqrt: (given) => Math.sqrt(Number(given[0])),
    random: (_given, host) => host.random(),
  },
  Integer: {
    parseInt: (given) => parseWhole(given[0]),
    valueOf: (given: readonly unknown[]) => parseWhole(given[0]),
    toString: (given: readonly unknown[]) => groovyText(given[0]),
  },
  Long: { parseLong: (given) => parseWhole(given[0]), valueOf: (given: readonly unknown[]) => parseWhole(given[0]) },
  Double: { parseDouble: (given) => parseDecimal(given[0]), valueOf: (given: readonly unknown[]) => parseDecimal(given[0]) },
  Boolean: { parseBoolean: (given) => /^true$/i.test(groovyText(given[0])), valueOf: (given: readonly unknown[]) => /^true$/i.test(groovyText(given[0])) },
  String: {
    valueOf: (given: readonly unknown[]) => groovyText(given[0]),
    join: (given) => (Array.isArray(given[1]) ? (given[1] as readonly unknown[]) : given.slice(1)).map((item) => groovyText(item)).join(groovyText(given[0])),
    format: (given) => formatted(groovyText(given[0]), given.slice(1)),
  },
  UUID: { randomUUID: (_given, host) => randomUuid(host) },
  System: { currentTimeMillis: (_given, host) => host.clock.now(), getenv: (given, host) => host.environment(groovyText(given[0])) ?? null },
  JsonOutput: { toJson: (given) => asJson(given[0]), prettyPrint: (given) => asJson(parsedJson(given[0]), "    ") },
  Instant: { now: (_given, host) => isoDate(host) },
  LocalDate: { now: (_given, host) => isoDate(host).slice(0, 10) },
  LocalDateTime: { now: (_given, host) => isoDate(host).slice(0, -1) },
};

/** The constructors available to `new`, by class. */
export const constructors: Readonly<Record<string, (parameters: readonly unknown[], host: Host) => unknown>> = {
  Date: (given, host) => (given.length === 0 ? now(host) : new Date(Number(given[0]))),
  String: (given) => groovyText(given[0] ?? ""),
  ArrayList: (given) => [...((given[0] as readonly unknown[] | undefined) ?? [])],
  HashMap: (given) => new Map(given[0] === undefined ? [] : Object.entries(given[0] as object)),
  LinkedHashMap: (given) => new Map(given[0] === undefined ? [] : Object.entries(given[0] as object)),
  BigDecimal: (given) => parseDecimal(given[0]),
  JsonSlurper: () => new Map(),
  JsonSlurperClassic: () => new Map(),
};

/** `new JsonSlurper().parseText(text)`. */
export const slurperMethods: Readonly<Record<string, (parameters: readonly unknown[]) => unknown>> = {
  parseText: (given) => parsedJson(given[0]),
  parse: (given) => parsedJson(given[0]),
};
