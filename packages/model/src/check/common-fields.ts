// Options of every step, and of every block inside a step such as `when` or `doCatch`.
import type { MapTree } from "../flow/tree.ts";
import { f } from "../schema/field.ts";
import type { Fields } from "../schema/field.ts";
import { absent, bindScalar } from "./bind-scalar.ts";
import type { Binding, Owner } from "./binding.ts";

export const commonFields = {
  id: f.string({ doc: "Id of the step in runs, traces and tests; by default its kind and a number." }),
  description: f.string({ doc: "Description shown in the designer." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  disabled: f.boolean({ doc: "Disables this step and its children." }),
} satisfies Fields;

export const commonNames: ReadonlySet<string> = new Set(Object.keys(commonFields));

/** The text of a common option, if present and valid. */
export function commonText(binding: Binding, map: MapTree, name: keyof typeof commonFields, owner: Owner): string | undefined {
  const entry = map.entries.find((candidate) => candidate.key === name);
  if (entry === undefined) return undefined;
  const value = bindScalar(binding, commonFields[name], entry.value, { ...owner, path: `${owner.path}.${name}` }, `option '${name}' of ${owner.label}`);
  return value === absent ? undefined : String(value);
}

export function isDisabled(binding: Binding, map: MapTree, owner: Owner): boolean {
  return commonText(binding, map, "disabled", owner) === "true";
}
