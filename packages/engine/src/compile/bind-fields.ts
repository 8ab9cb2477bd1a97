import { describe, type Field, type Fields } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";

/** Checks and converts the values of declared fields and fills in defaults. `what` names their owner in messages. */
export function bindFields(fields: Fields, given: Readonly<Record<string, unknown>>, what: string): Readonly<Record<string, unknown>> {
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) throw new CompileError("option-unknown", `${what} has no property '${name}'`);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields) as [string, Field<unknown>][]) {
    const { unsupported, required } = describe(field).spec;
    if (unsupported !== undefined && Object.hasOwn(given, name)) throw new CompileError("refused", `property '${name}' of ${what}: ${unsupported}`);
    if (required === true && !Object.hasOwn(given, name)) throw new CompileError("option-missing", `property '${name}' of ${what} is missing`);
    const parsed = field.safeParse(Object.hasOwn(given, name) ? given[name] : undefined);
    if (!parsed.success) throw new CompileError("option-invalid", `property '${name}' of ${what}: ${parsed.error.issues[0]?.message ?? "is invalid"}`);
    values[name] = parsed.data;
  }
  return values;
}
