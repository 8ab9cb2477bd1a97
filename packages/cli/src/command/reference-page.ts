// The reference page of the command line, as Markdown.
import { callablesOf, type ActionDeclaration, type Callable, type CommandDeclaration, type FlagDeclaration } from "./declaration.ts";

export function cliReference(commands: readonly CommandDeclaration[]): string {
  const parts = [
    "# Command line",
    "Every command accepts `--help`. Results go to standard output, notes and progress to standard error. Colors and progress are shown on a terminal only; `NO_COLOR` turns colors off.",
    ["| Command | Description |", "|---|---|", ...commands.map(({ name, summary }) => `| [\`sluice ${name}\`](#sluice-${name}) | ${cell(summary)} |`)].join(
      "\n",
    ),
  ];
  for (const command of commands) parts.push(section(command));
  return `${parts.join("\n\n")}\n`;
}

function section(command: CommandDeclaration): string {
  const { name, summary, details, variables, examples, exits, actions } = command;
  const callables = callablesOf(command);
  const parts = [`## sluice ${name}`, summary];
  if (actions === undefined) parts.push(usage(callables[0] as Callable));
  else
    parts.push(
      ["| Action | Description |", "|---|---|", ...callables.map((callable) => `| ${usage(callable)} | ${cell(callable.summary)} |`)].join("\n"),
      `Without an action: \`${actions[0]?.name}\`.`,
    );
  if (details !== undefined) parts.push(escapeTags(details));
  const rows = actions === undefined ? optionRows(callables[0] as Callable) : actionRows(command, actions);
  if (rows.length > 0) parts.push(["| Option | Description | Default |", "|---|---|---|", ...rows].join("\n"));
  if (command.moreFlags !== undefined) parts.push("It also accepts a flag for every [setting](settings.md) of the runtime.");
  if (variables !== undefined)
    parts.push(
      ["| Variable | Description |", "|---|---|", ...Object.entries(variables).map(([variable, text]) => `| \`${variable}\` | ${cell(text)} |`)].join("\n"),
    );
  parts.push(examples.map((example) => `${example.doc}:\n\n\`\`\`\n${example.command}\n\`\`\``).join("\n\n"));
  parts.push(
    `Exit codes:\n\n${Object.entries(exits)
      .map(([code, text]) => `- \`${code}\`: ${text}`)
      .join("\n")}`,
  );
  return parts.join("\n\n");
}

function usage({ path, arguments: positionals = [] }: Callable): string {
  const placeholders = positionals.map((argument) => {
    const word = `${argument.name}${argument.many === true ? "..." : ""}`;
    return argument.required === true ? `<${word}>` : `[${word}]`;
  });
  return `\`sluice ${[path, ...placeholders].join(" ")} [options]\``;
}

const optionRows = ({ arguments: positionals = [], flags }: Pick<Callable, "arguments" | "flags">): readonly string[] => [
  ...positionals.map((argument) => `| \`${argument.name}\` | ${cell(argument.doc)} | |`),
  ...flags.map((flag) => flagRow(flag)),
];

/** The options of all actions; those that not every action accepts name their action. */
function actionRows({ flags = [] }: CommandDeclaration, actions: readonly ActionDeclaration[]): readonly string[] {
  const rows = new Map<string, string[]>();
  for (const action of actions)
    for (const row of optionRows({ arguments: action.arguments ?? [], flags: action.flags ?? [] })) rows.set(row, [...(rows.get(row) ?? []), action.name]);
  const own = [...rows].map(([row, names]) => row.replace(" | ", ` (${names.map((name) => `\`${name}\``).join(", ")}) | `));
  return [...own, ...flags.map(flagRow)];
}

function flagRow({ name, short, value, values, doc, default: defaultValue }: FlagDeclaration): string {
  const valueText = values?.join("|") ?? value;
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${valueText === undefined ? "" : ` ${valueText}`}`;
  return `| \`${words.replaceAll("|", "\\|")}\` | ${cell(doc)} | ${defaultValue === undefined ? "" : `\`${defaultValue}\``} |`;
}

/** Escapes text so that Markdown does not treat any of it as a tag. */
const escapeTags = (text: string): string => text.replaceAll("<", "&lt;");
const cell = (text: string): string => escapeTags(text).replaceAll("|", "\\|").replaceAll("\n", " ");
