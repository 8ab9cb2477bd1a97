// The few Java and Groovy classes that one-line scripts use.
import type { Host } from "@sluice/engine/spi";
import { asJson, parseJsonText } from "@sluice/engine/values";
import { plain } from "./groovy-access.ts";
import { isMap } from "./groovy-maps.ts";
import { entriesOf, fault, groovyText } from "./groovy-operators.ts";
import { javaFormat, parseDecimal, parseInteger } from "./groovy-text-methods.ts";

export type Statics = Readonly<Record<string, (parameters: readonly unknown[], host: Host) => unknown>>;

const numbers = (parameters: readonly unknown[]): number[] => parameters.map(Number);

function parseJson(text: unknown): unknown {
  try {
    return parseJsonText(groovyText(text));
  } catch (error) {
    throw fault("groovy.json.JsonException", `the text is not JSON: ${(error as Error).message}`);
  }
}

/** A random id in the form of a version 4 UUID. It is not a secret: the random numbers of the host are not cryptographically secure. */
function randomUuid(host: Host): string {
  const digit = (): string => Math.floor(host.random() * 16).toString(16);
  return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replaceAll("x", digit);
}

const now = (host: Host): Date => new Date(host.clock.now());
const isoDate = (host: Host): string => now(host).toISOString();

/** The constructor of a map: its parameter is a map or the initial capacity. */
function copyMap([source]: readonly unknown[]): Map<string, unknown> {
  const map = plain(source);
  return new Map(isMap(map) ? entriesOf(map) : []);
}

/** Static calls by class and method. */
export const statics: Readonly<Record<string, Statics>> = {
  Math: {
    abs: (args) => Math.abs(Number(args[0])),
    round: (args) => Math.floor(Number(args[0]) + 0.5),
    floor: (args) => Math.floor(Number(args[0])),
    ceil: (args) => Math.ceil(Number(args[0])),
    max: (args) => Math.max(...numbers(args)),
    min: (args) => Math.min(...numbers(args)),
    pow: (args) => Number(args[0]) ** Number(args[1]),
    sqrt: (args) => Math.sqrt(Number(args[0])),
    random: (_args, host) => host.random(),
  },
  Integer: {
    parseInt: (args) => parseInteger(args[0]),
    valueOf: (args: readonly unknown[]) => parseInteger(args[0]),
    toString: (args: readonly unknown[]) => groovyText(args[0]),
  },
  Long: { parseLong: (args) => parseInteger(args[0]), valueOf: (args: readonly unknown[]) => parseInteger(args[0]) },
  Double: { parseDouble: (args) => parseDecimal(args[0]), valueOf: (args: readonly unknown[]) => parseDecimal(args[0]) },
  Boolean: { parseBoolean: (args) => /^true$/i.test(groovyText(args[0])), valueOf: (args: readonly unknown[]) => /^true$/i.test(groovyText(args[0])) },
  String: {
    valueOf: (args: readonly unknown[]) => groovyText(args[0]),
    join: (args) => (Array.isArray(args[1]) ? (args[1] as readonly unknown[]) : args.slice(1)).map((item) => groovyText(item)).join(groovyText(args[0])),
    format: (args) => javaFormat(groovyText(args[0]), args.slice(1)),
  },
  UUID: { randomUUID: (_args, host) => randomUuid(host) },
  System: { currentTimeMillis: (_args, host) => host.clock.now(), getenv: (args, host) => host.environment(groovyText(args[0])) ?? null },
  JsonOutput: { toJson: (args) => asJson(args[0]), prettyPrint: (args) => asJson(parseJson(args[0]), "    ") },
  Instant: { now: (_args, host) => isoDate(host) },
  LocalDate: { now: (_args, host) => isoDate(host).slice(0, 10) },
  LocalDateTime: { now: (_args, host) => isoDate(host).slice(0, -1) },
};

/** The constructors available to `new`, by class. */
export const constructors: Readonly<Record<string, (parameters: readonly unknown[], host: Host) => unknown>> = {
  Date: (args, host) => (args.length === 0 ? now(host) : new Date(Number(args[0]))),
  String: (args) => groovyText(args[0] ?? ""),
  ArrayList: (args) => (Array.isArray(args[0]) ? [...(args[0] as readonly unknown[])] : []),
  HashMap: copyMap,
  LinkedHashMap: copyMap,
  BigDecimal: (args) => parseDecimal(args[0]),
  JsonSlurper: () => new Map(),
  JsonSlurperClassic: () => new Map(),
};

/** `new JsonSlurper().parseText(text)`. */
export const slurperMethods: Readonly<Record<string, (parameters: readonly unknown[]) => unknown>> = {
  parseText: (args) => parseJson(args[0]),
  parse: (args) => parseJson(args[0]),
};
