// Builds the command line from the declarations: parses, loads only the called command, and prints errors as one sentence.
import { Argument, Command, CommanderError, Option } from "commander";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { CommandError, UsageError, type CommandDeclaration, type FlagDeclaration, type Values } from "./declaration.ts";
import { afterHelp } from "./help-text.ts";
import { productVersion } from "./package-files.ts";
import { stopSignal } from "./stop-signal.ts";

/** Runs one command line; resolves to the exit code. */
export async function runProgram(commands: readonly CommandDeclaration[], args: readonly string[], terminal: Terminal = createTerminal()): Promise<number> {
  let exit = 0;
  const calledCommand = commands.find(({ name }) => name === (args[0] === "help" ? args[1] : args[0]));
  const more = (await calledCommand?.moreFlags?.()) ?? [];
  const program = configure(new Command("sluice"), terminal)
    .description("The integration runtime and its tools.")
    .usage("<command> [options]")
    .version(productVersion(), "-V, --version", "Print the version and the platform.")
    .helpOption("-h, --help", "Show help.")
    .helpCommand("help [command]", "Show help for a command.");
  program.addHelpText("after", "\nRun `sluice help <command>` for the options and examples of a command.");
  for (const declaration of commands) {
    const command = configure(program.command(declaration.name), terminal).description(declaration.summary).helpOption("-h, --help", "Show help.");
    for (const argument of declaration.arguments ?? []) {
      const dots = argument.many === true ? "..." : "";
      const positional = new Argument(argument.required === true ? `<${argument.name}${dots}>` : `[${argument.name}${dots}]`, argument.doc);
      if (argument.values !== undefined && argument.many !== true) positional.choices([...argument.values]);
      command.addArgument(positional);
    }
    for (const flag of [...(declaration.flags ?? []), ...(declaration === calledCommand ? more : [])]) command.addOption(optionOf(flag));
    command.addHelpText("after", () => afterHelp(declaration));
    command.action(async (...parts: unknown[]) => {
      const values = (declaration.arguments ?? []).map(({ name }, index) => [name, parts[index]] as const);
      exit = await call(declaration, Object.fromEntries(values) as Values, parts[parts.length - 2] as Values, terminal);
    });
  }
  try {
    if (args.length === 1 && (args[0] === "-V" || args[0] === "--version")) return await printVersion(terminal);
    if (args.length === 0) program.help();
    await program.parseAsync([...args], { from: "user" });
    return exit;
  } catch (error) {
    return reportError(error, calledCommand?.name, terminal);
  }
}

/** Prints the bare version on the first line for scripts. Platform details are loaded only here. */
async function printVersion(terminal: Terminal): Promise<number> {
  const { optionalParts, platformName } = await import("@sluice/server/optional-parts");
  const parts = optionalParts({ functions: undefined, enableJs: false }).filter(({ name }) => name !== "functions");
  terminal.write(productVersion());
  terminal.write(`Node ${process.versions.node}, ${platformName()}`);
  for (const { name, isAvailable, text } of parts) terminal.write(`${name}: ${isAvailable ? "yes" : "no"}, ${text}`);
  return 0;
}

function configure(command: Command, terminal: Terminal): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.note(text),
      outputError: () => undefined,
    });
}

function optionOf(flag: FlagDeclaration): Option {
  const value = flag.values?.join("|") ?? flag.value;
  const placeholder = value === undefined ? "" : flag.optional === true ? ` [${value}]` : ` <${value}>`;
  const option = new Option(`${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${placeholder}`, flag.doc);
  if (flag.default !== undefined) option.default(flag.default);
  if (flag.optional === true) option.preset("true");
  if (flag.values !== undefined && flag.optional !== true) option.choices([...flag.values]);
  if (flag.many === true) option.argParser((item: string, previous: readonly string[] | undefined) => [...(previous ?? []), item]);
  return option;
}

async function call(command: CommandDeclaration, values: Values, flags: Values, terminal: Terminal): Promise<number> {
  const { run } = await command.load();
  const { signal, dispose } = stopSignal();
  try {
    return await run({ command, arguments: values, flags, terminal, signal });
  } finally {
    dispose();
    terminal.progress(undefined);
  }
}

/** Rewrites a message of the command-line parser as one sentence. */
function sentenceOf(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\./s, "unknown $2 '$1'.")
    .replace(/^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\./s, "invalid value '$2' for $1.")
    .replace(/\. Allowed choices are (.*)\.$/s, ": choose one of $1")
    .replaceAll(/\n+/g, " ");
}

function reportError(error: unknown, name: string | undefined, terminal: Terminal): number {
  const prefix = name === undefined ? "sluice" : `sluice ${name}`;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0 || error.code === "commander.help") return 0;
    terminal.note(`${prefix}: ${sentenceOf(error.message)}; see \`${prefix} --help\``);
    return 2;
  }
  if (error instanceof UsageError || error instanceof CommandError) {
    terminal.note(`${prefix}: ${error.message}`);
    return error instanceof CommandError ? error.exit : 2;
  }
  if ((error as Error)?.name === "AbortError") return 130;
  terminal.note(`${prefix}: ${(error as Error)?.message ?? String(error)}`);
  return 1;
}
