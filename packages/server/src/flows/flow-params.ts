// Parameters of a flow: validation, storage and resolution of `{{name}}`.
import { valuesUnder } from "@sluice/model";
import { ServiceError } from "../service-error.ts";
import { looksSecret, variableOf, type Environment } from "../host/environment.ts";
import { masked } from "../masking/secret-headers.ts";
import type { ParamValue, StoredParams } from "./flow-store.ts";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
const maxDepth = 16;
const maxParams = 10_000;

/** Reads the `params` of a PUT: nested names are joined with dots. A masked secret keeps the stored value. */
export function readParams(input: unknown, stored: StoredParams): StoredParams {
  if (input === null) return {};
  if (typeof input !== "object" || Array.isArray(input)) throw new ServiceError("body-invalid", "params must be an object");
  const params: Record<string, ParamValue> = Object.create(null) as Record<string, ParamValue>;
  let count = 0;
  collect(input as Readonly<Record<string, unknown>>, "", 0);
  return params;

  function collect(object: Readonly<Record<string, unknown>>, prefix: string, depth: number): void {
    if (depth > maxDepth) throw new ServiceError("body-invalid", `params '${prefix}' is nested more than ${maxDepth} levels deep`);
    for (const [key, value] of Object.entries(object)) {
      if (++count > maxParams) throw new ServiceError("body-invalid", `params must not have more than ${maxParams} names`);
      if (forbidden.has(key)) throw new ServiceError("body-invalid", `params must not use the name '${key}'`);
      const name = prefix === "" ? key : `${prefix}.${key}`;
      const leaf = readLeaf(value, name);
      if (leaf !== undefined) params[name] = leaf;
      else if (typeof value === "object" && value !== null && !Array.isArray(value)) collect(value as Readonly<Record<string, unknown>>, name, depth + 1);
      else
        throw new ServiceError("body-invalid", `params '${name}' must be a string, a number, true or false, {"env": "NAME"} or {"value": …, "secret": true}`);
    }
  }

  function readLeaf(value: unknown, name: string): ParamValue | undefined {
    if (isScalar(value)) return { value };
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { env, value: inner, secret, ...rest } = value as Record<string, unknown>;
    if (Object.keys(rest).length > 0) return undefined;
    if (typeof env === "string" && inner === undefined && secret === undefined) return { env };
    if (env !== undefined || !isScalar(inner) || (secret !== undefined && typeof secret !== "boolean")) return undefined;
    if (secret !== true) return { value: inner };
    const storedParam = stored[name];
    return inner === masked && storedParam !== undefined && "value" in storedParam && storedParam.secret === true
      ? storedParam
      : { value: inner, secret: true };
  }
}

const isScalar = (value: unknown): value is string | number | boolean => typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The parameters as the API returns them: secrets are masked, references to environment variables are not. */
export function shownParams(params: StoredParams): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, param]) => [
      name,
      "env" in param ? { env: param.env } : param.secret === true ? { value: masked, secret: true } : param.value,
    ]),
  );
}

export interface PropertySource {
  /** The value of `{{name}}`. */
  property(name: string): string | undefined;
  /** All properties with this prefix, by the rest of the name. */
  propertiesUnder(prefix: string): Readonly<Record<string, string>>;
  /** The secret values resolved so far. */
  readonly secrets: ReadonlySet<string>;
}

/** Resolves `{{name}}` from parameters, then `env:NAME`, then the variable of that name, then `application.properties`. */
export function createPropertySource(params: StoredParams, environment: Environment, properties: ReadonlyMap<string, string>): PropertySource {
  const secrets = new Set<string>();
  for (const param of Object.values(params)) if ("value" in param && param.secret === true) secrets.add(String(param.value));

  function variable(name: string): string | undefined {
    const value = environment.named(name);
    if (value !== undefined && looksSecret(name)) secrets.add(value);
    return value;
  }

  const source: PropertySource = {
    secrets,
    property(name) {
      if (Object.hasOwn(params, name)) {
        const param = params[name] as ParamValue;
        return "env" in param ? variable(param.env) : String(param.value);
      }
      if (name.startsWith("env:")) return variable(name.slice(4));
      const value = variable(variableOf(name)) ?? properties.get(name);
      if (value !== undefined && looksSecret(name)) secrets.add(value);
      return value;
    },
    propertiesUnder: (prefix) => valuesUnder(prefix, [...properties.keys(), ...Object.keys(params)], (name) => source.property(name)),
  };
  return source;
}
