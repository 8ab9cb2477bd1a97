// The reference page of the command line, as Markdown.
import type { CommandDeclaration, FlagDeclaration } from "./declaration.ts";

export async function cliReference(commands: readonly CommandDeclaration[]): Promise<string> {
  const parts = [
    "# Command line",
    "Every command accepts `--help`. Results go to standard output, notes and progress to standard error. Colors and progress are shown on a terminal only; `NO_COLOR` turns colors off.",
    ["| Command | Description |", "|---|---|", ...commands.map(({ name, summary }) => `| [\`sluice ${name}\`](#sluice-${name}) | ${cell(summary)} |`)].join(
      "\n",
    ),
  ];
  for (const command of commands) parts.push(await section(command));
  return `${parts.join("\n\n")}\n`;
}

async function section(command: CommandDeclaration): Promise<string> {
  const { name, summary, details, variables, examples, exits } = command;
  const placeholders = (command.arguments ?? []).map((argument) => {
    const word = `${argument.name}${argument.many === true ? "..." : ""}`;
    return argument.required === true ? `<${word}>` : `[${word}]`;
  });
  const parts = [`## sluice ${name}`, summary, `\`sluice ${[name, ...placeholders].join(" ")} [options]\``];
  if (details !== undefined) parts.push(escapeTags(details));
  const rows = [...(command.arguments ?? []).map((argument) => `| \`${argument.name}\` | ${cell(argument.doc)} | |`), ...(command.flags ?? []).map(flagRow)];
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

function flagRow({ name, short, value, values, doc, default: defaultValue }: FlagDeclaration): string {
  const valueText = values?.join("|") ?? value;
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${valueText === undefined ? "" : ` ${valueText}`}`;
  return `| \`${words.replaceAll("|", "\\|")}\` | ${cell(doc)} | ${defaultValue === undefined ? "" : `\`${defaultValue}\``} |`;
}

/** Escapes text so that Markdown does not treat any of it as a tag. */
const escapeTags = (text: string): string => text.replaceAll("<", "&lt;");
const cell = (text: string): string => escapeTags(text).replaceAll("|", "\\|").replaceAll("\n", " ");
