import { plainText } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";

/** One named value per line; names without a value are left out. */
export function fieldsText(fields: readonly (readonly [name: string, value: unknown])[], { style }: Pick<Terminal, "style">): string {
  const shown = fields.map(([name, value]) => [name, plainText(value)] as const).filter(([, text]) => text !== "");
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `  ${style("dim", name.padEnd(width))}  ${text}`).join("\n");
}
