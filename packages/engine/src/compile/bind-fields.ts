import { closest, describe, type Field, type Fields } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";

/** Checks and converts the values of declared fields and fills in defaults. `owner` is the name of their element in error messages. */
export function bindFields(fields: Fields, properties: Readonly<Record<string, unknown>>, owner: string): Readonly<Record<string, unknown>> {
  for (const name of Object.keys(properties)) {
    if (Object.hasOwn(fields, name)) continue;
    const suggestion = closest(name, Object.keys(fields));
    throw new CompileError("option-unknown", `${owner} has no property '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields) as [string, Field<unknown>][]) {
    const { unsupported, required } = describe(field).spec;
    if (unsupported !== undefined && Object.hasOwn(properties, name)) throw new CompileError("refused", `property '${name}' of ${owner}: ${unsupported}`);
    if (required === true && !Object.hasOwn(properties, name))
      throw new CompileError("option-missing", `property '${name}' of ${owner} is missing`, { hint: `add '${name}'` });
    const parsed = field.safeParse(Object.hasOwn(properties, name) ? properties[name] : undefined);
    if (!parsed.success) throw new CompileError("option-invalid", `property '${name}' of ${owner}: ${parsed.error.issues[0]?.message ?? "is invalid"}`);
    values[name] = parsed.data;
  }
  return values;
}
