// Options as a flow would set them, parsed by the declaration's own fields.
import type { FormatDeclaration } from "@sluice/engine/spi";
import type { Fields, Values } from "@sluice/model";

export function optionsOf<F extends Fields>(declaration: FormatDeclaration<F>, options: Readonly<Record<string, unknown>> = {}): Values<F> {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(declaration.options, name));
  if (unknown !== undefined) throw new Error(`'${declaration.name}' has no option '${unknown}'`);
  // An option may be called `constructor`, which every object inherits.
  const valueOf = (name: string): unknown => (Object.hasOwn(options, name) ? options[name] : undefined);
  return Object.fromEntries(Object.entries(declaration.options).map(([name, field]) => [name, field.parse(valueOf(name))])) as Values<F>;
}
