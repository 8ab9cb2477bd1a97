import type { CommandDeclaration } from "./declaration.ts";

/** The help text below the options: details, variables, examples and exit codes. `path`: only the examples of this action, if it has any. */
export function afterHelp({ name, details, variables, examples: all, exits }: CommandDeclaration, path = name): string {
  const parts: string[] = [];
  const own = all.filter(({ command }) => command.includes(`sluice ${path}`));
  const examples = own.length === 0 ? all : own;
  if (details !== undefined) parts.push(details);
  if (variables !== undefined) parts.push(`Environment:\n${columns(Object.entries(variables))}`);
  parts.push(`${examples.length === 1 ? "Example" : "Examples"}:\n${examples.map(({ doc, command }) => `  # ${doc}\n  ${command}`).join("\n")}`);
  parts.push(`Exit codes:\n${columns(Object.entries(exits))}`);
  return `\n${parts.join("\n\n")}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join("\n");
}
