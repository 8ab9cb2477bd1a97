// For tests: options as a flow would give them, bound by the declaration's own fields.
import type { FormatDeclaration } from "@sluice/engine/spi";
import type { Fields, Values } from "@sluice/model";

export function optionsOf<F extends Fields>(declaration: FormatDeclaration<F>, given: Readonly<Record<string, unknown>> = {}): Values<F> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declaration.options, name));
  if (unknown !== undefined) throw new Error(`${declaration.name} has no option ${unknown}`);
  return Object.fromEntries(Object.entries(declaration.options).map(([name, field]) => [name, field.parse(given[name])])) as Values<F>;
}
