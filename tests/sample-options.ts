// Sample values for declared options, generated from the fields alone.
import { describe, type Field, type FieldInfo, type Fields } from "@sluice/model";

export type Sample = string | readonly Sample[] | { readonly [name: string]: Sample };

const scalarKinds: ReadonlySet<string> = new Set(["string", "boolean", "integer", "number", "duration", "size", "enum", "uri"]);
const isScalar = (field: Field<unknown>): boolean => scalarKinds.has(describe(field).kind);

/** The text of a scalar option; `other` selects a second text if the kind has more than one value. */
export function sampleText(field: Field<unknown>, other = false): string {
  const info = describe(field);
  const { min = 1, max = Infinity } = info.spec as { min?: number; max?: number };
  switch (info.kind) {
    case "boolean":
      return String(other);
    case "integer":
      return String(Math.min(max, Math.max(min, 1) + (other ? 1 : 0)));
    case "number":
      return String(Math.min(max, Math.max(min, 0.5) + (other ? 0.25 : 0)));
    case "duration":
      return other ? "1m30s" : "5s";
    case "size":
      return other ? "10MiB" : "64k";
    case "enum":
      return (other ? info.values?.at(-1) : info.values?.[0]) as string;
    case "uri":
      return other ? "direct:second" : "direct:first";
    default:
      return other ? "second text" : "first";
  }
}

function sampleOf(field: Field<unknown>): Sample {
  const info = describe(field);
  switch (info.kind) {
    case "parameters":
      return { name: "value" };
    case "expression":
      return { constant: "x" };
    case "steps":
      return [{ log: { message: "x" } }];
    case "format":
      return { json: {} };
    case "list":
      return [sampleOf(info.item as Field<unknown>)];
    case "object":
      return requiredOf(info.fields as Fields);
    default:
      return sampleText(field);
  }
}

/** The smallest sample that binds: every required option. */
export function requiredOf(fields: Fields): { [name: string]: Sample } {
  const sample: { [name: string]: Sample } = {};
  for (const [name, field] of Object.entries(fields))
    if (describe(field).spec.required === true) Object.assign(sample, optionEntry(name, describe(field), field));
  return sample;
}

/** An option and its key in the document; inline expressions and formats have their own key. */
function optionEntry(name: string, info: FieldInfo, field: Field<unknown>): { [name: string]: Sample } {
  if (info.kind === "expression" && info.inline === true) return { constant: "x" };
  if (info.kind === "format") return { json: {} };
  return { [name]: sampleOf(field) };
}

export interface ScalarOption {
  /** The path of the option below the declaration's mapping; the last part is its name. */
  readonly path: readonly (string | number)[];
  readonly field: Field<unknown>;
  /** The smallest sample that binds and contains the option's parents. */
  readonly container: { readonly [name: string]: Sample };
}

/** Every scalar option of a declaration, including nested ones. Recursive objects are followed once. */
export function scalarOptions(fields: Fields): readonly ScalarOption[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const info = describe(field);
    if (isScalar(field)) return [{ path: [name], field, container: requiredOf(fields) }];
    const inner = info.kind === "object" ? info.fields : info.item === undefined ? undefined : describe(info.item).fields;
    if (inner === undefined) return [];
    return scalarOptions(inner).map((option) => ({
      path: info.kind === "object" ? [name, ...option.path] : [name, 0, ...option.path],
      field: option.field,
      container: { ...requiredOf(fields), [name]: info.kind === "object" ? option.container : [option.container] },
    }));
  });
}
