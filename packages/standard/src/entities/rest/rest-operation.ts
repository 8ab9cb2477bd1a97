// Converts the declarations of a REST service to the options of the endpoint that serves one of its operations. An operation overrides its service,
// and the service overrides the configuration.
import { CompileError } from "@sluice/engine/spi";

type Members = Readonly<Record<string, unknown>>;

interface Param {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly defaultValue?: string | undefined;
  readonly allowableValues?: readonly ({ readonly value?: string | undefined } | undefined)[] | undefined;
}

const corsDefaults = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, TRACE, OPTIONS, CONNECT, PATCH",
  "Access-Control-Allow-Headers": "Origin, Accept, X-Requested-With, Content-Type, Access-Control-Request-Method, Access-Control-Request-Headers",
  "Access-Control-Max-Age": "3600",
};

const bindingModes = new Set(["off", "auto", "json", "xml", "json_xml"]);

/** The endpoint parameters other than the method. */
export function operationParameters(
  operation: Members & { readonly param: readonly Param[] },
  service: Members,
  configuration: Members,
): Record<string, string> {
  const firstValue = (name: string): string | undefined =>
    [operation, service, configuration].map((members) => members[name]).find((value): value is string => typeof value === "string" && value !== "");
  const isOn = (name: string): boolean => firstValue(name)?.trim().toLowerCase() === "true";
  const mode = (firstValue("bindingMode") ?? "off").toLowerCase();
  if (!bindingModes.has(mode))
    throw new CompileError("option-invalid", `unknown binding mode '${mode}'`, { hint: `use one of ${[...bindingModes].join(", ")}`, option: "bindingMode" });
  const consumes = firstValue("consumes");
  const produces = firstValue("produces") ?? (mode === "json" ? "application/json" : undefined);
  const behavior = {
    ...(isOn("clientRequestValidation") ? { validates: true, ...requirements(operation.param) } : {}),
    ...defaultsOf(operation.param),
    ...(mode === "json" ? { json: "always" } : mode === "auto" || mode === "json_xml" ? { json: "by-type" } : {}),
    ...(isOn("enableCORS") ? { cors: { ...corsDefaults, ...pairsOf(configuration["corsHeaders"]) } } : {}),
  };
  return {
    ...(consumes === undefined ? {} : { consumes }),
    ...(produces === undefined ? {} : { produces }),
    ...(Object.keys(behavior).length === 0 ? {} : { operation: JSON.stringify(behavior) }),
  };
}

const isQueryOrHeader = ({ type }: Param): boolean => type === "query" || type === "header";

function requirements(params: readonly Param[]) {
  const allowed = params.flatMap(({ name, allowableValues = [] }) => {
    const values = allowableValues.flatMap((item) => item?.value ?? []);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    required: params.filter((param) => isQueryOrHeader(param) && param.required && param.defaultValue === undefined).map(({ name }) => name),
    ...(allowed.length === 0 ? {} : { allowed: Object.fromEntries(allowed) }),
    ...(params.some(({ type, required }) => type === "body" && required) ? { bodyRequired: true } : {}),
  };
}

function defaultsOf(params: readonly Param[]) {
  const defaults = params.flatMap((param) => (isQueryOrHeader(param) && param.defaultValue !== undefined ? [[param.name, param.defaultValue] as const] : []));
  return defaults.length === 0 ? {} : { defaults: Object.fromEntries(defaults) };
}

/** A list of keys and values as one object. */
export function pairsOf(pairs: unknown): Record<string, string> {
  const list = (pairs ?? []) as readonly { readonly key?: string; readonly value?: string }[];
  return Object.fromEntries(list.flatMap(({ key, value }) => (key === undefined || value === undefined ? [] : [[key, value] as const])));
}
