// A Kamelet is imported as a route template; `kamelet:source` and `kamelet:sink` become direct endpoints.
import { parse } from "yaml";
import { UsageError } from "../../command/declaration.ts";
import type { ImportResult, Remark, Step } from "./import-result.ts";

interface Kamelet {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly definition?: {
      readonly required?: readonly string[];
      readonly properties?: Readonly<Record<string, { readonly default?: unknown; readonly description?: string }>>;
    };
    readonly template?: Step;
    readonly dependencies?: readonly string[];
  };
}

export function importKamelet(text: string): ImportResult {
  const { metadata, spec, kind } = parse(text) as Kamelet;
  const name = metadata?.name;
  if (kind !== "Kamelet" || name === undefined || spec?.template === undefined)
    throw new UsageError("not a Kamelet: kind, metadata.name and spec.template are required");
  const remarks: Remark[] = [];
  const required = new Set(spec.definition?.required ?? []);
  const parameters = Object.entries(spec.definition?.properties ?? {}).map(([parameter, { default: defaultValue, description }]) => ({
    name: parameter,
    ...(defaultValue === undefined ? {} : { defaultValue: String(defaultValue) }),
    ...(required.has(parameter) ? {} : { required: false }),
    ...(description === undefined ? {} : { description }),
  }));
  const template = replaceTemplateEndpoints(spec.template, name, remarks) as Record<string, unknown>;
  const { beans, from, steps, route, ...rest } = template as { beans?: unknown; from?: Step; steps?: readonly Step[]; route?: unknown };
  for (const key of Object.keys(rest)) remarks.push({ where: `spec.template.${key}`, text: "has no equivalent and was omitted" });
  const body = route === undefined ? { from: { ...from, ...(steps === undefined ? {} : { steps }) } } : { route };
  return {
    flow: [{ routeTemplate: { id: name, ...(parameters.length === 0 ? {} : { parameters }), ...(beans === undefined ? {} : { beans }), ...body } }],
    remarks,
  };
}

/** `kamelet:source` and `kamelet:sink` connect the template to its caller; they become direct endpoints. */
function replaceTemplateEndpoints(value: unknown, name: string, remarks: Remark[]): unknown {
  if (typeof value === "string") {
    if (value !== "kamelet:source" && value !== "kamelet:sink") return value;
    const endpoint = value === "kamelet:source" ? `direct:${name}` : `direct:${name}-out`;
    remarks.push({
      where: value,
      text: `was replaced with '${endpoint}': ${value === "kamelet:source" ? "send to it to call the Kamelet" : "consume from it to receive the output of the Kamelet"}`,
    });
    return endpoint;
  }
  if (Array.isArray(value)) return value.map((item) => replaceTemplateEndpoints(item, name, remarks));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceTemplateEndpoints(inner, name, remarks)]));
}
