// What every step, and every block inside a step such as `when` or `doCatch`, may carry beside its own options.
import type { MapTree } from "../flow/tree.ts";
import { f } from "../schema/field.ts";
import type { Fields } from "../schema/field.ts";
import { absent, bindScalar } from "./bind-scalar.ts";
import type { Binding, Owner } from "./binding.ts";

export const commonFields = {
  id: f.string({ doc: "The name of this step in runs, traces and tests; made from its kind when left out." }),
  description: f.string({ doc: "What this step is for, shown in the designer." }),
  note: f.string({ doc: "A remark for other authors." }),
  disabled: f.boolean({ doc: "Leaves this step and its children out." }),
} satisfies Fields;

export const common: ReadonlySet<string> = new Set(Object.keys(commonFields));

/** A common option's text, if it is given and right. */
export function commonText(binding: Binding, map: MapTree, name: keyof typeof commonFields, owner: Owner): string | undefined {
  const entry = map.entries.find((candidate) => candidate.key === name);
  if (entry === undefined) return undefined;
  const value = bindScalar(binding, commonFields[name], entry.value, { ...owner, path: `${owner.path}.${name}` }, `option '${name}' of ${owner.label}`);
  return value === absent ? undefined : String(value);
}

export function isDisabled(binding: Binding, map: MapTree, owner: Owner): boolean {
  return commonText(binding, map, "disabled", owner) === "true";
}
