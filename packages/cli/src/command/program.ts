// Builds the command line from the declarations: parses, loads only the called command, and prints errors as one sentence.
import { Argument, Command, CommanderError, Option } from "commander";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { callablesOf, CommandError, UsageError, type ArgumentDeclaration, type Call, type Callable, type CommandDeclaration } from "./declaration.ts";
import type { FlagDeclaration, Values } from "./declaration.ts";
import { readFlagValue } from "./flag-values.ts";
import { afterHelp } from "./help-text.ts";
import { productVersion } from "./package-files.ts";
import { stopSignal } from "./stop-signal.ts";
import { assertKind } from "./value-kinds.ts";

/** Runs one command line; resolves to the exit code. Without `stop`, the signals of the process stop the command. */
export async function runProgram(
  commands: readonly CommandDeclaration[],
  args: readonly string[],
  terminal: Terminal = createTerminal(),
  stop?: AbortSignal,
): Promise<number> {
  const outcome = { exit: 0 };
  let called: CommandDeclaration | undefined;
  let path: string | undefined;
  try {
    const words = withoutHelp(commands, args);
    called = commands.find(({ name }) => name === words[0]);
    const line = called === undefined ? words : withAction(called, words);
    path = called === undefined ? undefined : pathOf(called, line);
    if (line.length === 1 && (line[0] === "-V" || line[0] === "--version")) return await printVersion(terminal);
    const run = async (callable: Callable, input: Input): Promise<void> => {
      outcome.exit = await call(callable, { ...input, terminal }, stop);
    };
    const program = createProgram(terminal);
    // The others are needed only for the list of commands, and to suggest one.
    for (const command of called === undefined ? commands : [called])
      addCommand(program, command, called === undefined ? [] : ((await command.moreFlags?.()) ?? []), { terminal, run });
    if (line.length === 0) program.help();
    await program.parseAsync([...line], { from: "user" });
    return outcome.exit;
  } catch (error) {
    return reportError(error, path ?? called?.name, terminal);
  }
}

/** `help flows show` is `flows show --help`. The help of a command that does not exist is an error, which the parser reports. */
function withoutHelp(commands: readonly CommandDeclaration[], args: readonly string[]): readonly string[] {
  const isHelp = args[0] === "help";
  const words = isHelp ? args.slice(1).filter((word) => word !== "-h" && word !== "--help") : args;
  const [name] = words;
  if (name === undefined) return args;
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return name.startsWith("-") || name === "help" ? words : [name];
  if (!isHelp) return words;
  const excess = words[command.actions === undefined ? 1 : 2];
  if (excess !== undefined) throw new UsageError(`unexpected '${excess}': use \`sluice help ${command.actions === undefined ? name : `${name} <action>`}\``);
  return [...words, "--help"];
}

/** Adds the default action if none is named. */
function withAction({ name, actions }: CommandDeclaration, words: readonly string[]): readonly string[] {
  const [, word] = words;
  if (actions === undefined || word === "-h" || word === "--help") return words;
  const names = actions.map((action) => action.name);
  if (word === undefined || word.startsWith("-")) return [name, names[0] as string, ...words.slice(1)];
  if (names.includes(word)) return words;
  throw new UsageError(`unknown action '${word}': choose one of ${names.join(", ")}; see \`sluice ${name} --help\``);
}

const pathOf = ({ name, actions }: CommandDeclaration, [, action]: readonly string[]): string =>
  actions?.some((declared) => declared.name === action) === true ? `${name} ${action}` : name;

function createProgram(terminal: Terminal): Command {
  return configure(new Command("sluice"), terminal)
    .description("The integration runtime and its tools.")
    .usage("<command> [options]")
    .version(productVersion(), "-V, --version", "Print the version and the platform.")
    .helpOption("-h, --help", "Show help.")
    .helpCommand("help [command]", "Show help for a command.")
    .addHelpText("after", "\nRun `sluice help <command>` for the options and examples of a command.");
}

interface Target {
  readonly terminal: Terminal;
  run(callable: Callable, input: Input): Promise<void>;
}

type Input = Pick<Call, "arguments" | "flags" | "given">;

function addCommand(program: Command, declaration: CommandDeclaration, more: readonly FlagDeclaration[], target: Target): void {
  const { name, summary, actions } = declaration;
  const parent = actions === undefined ? program : addGroup(program, name, summary, target.terminal);
  if (parent !== program) parent.addHelpText("after", () => afterHelp(declaration));
  for (const callable of callablesOf(declaration)) {
    const command = configure(parent.command(callable.path.split(" ").at(-1) as string), target.terminal)
      .description(callable.summary)
      .helpOption("-h, --help", "Show help.");
    for (const argument of callable.arguments ?? []) command.addArgument(argumentOf(argument));
    for (const flag of [...callable.flags, ...more]) command.addOption(optionOf(flag));
    command.addHelpText("after", () => afterHelp(declaration, callable.path));
    command.action(async (...parts: unknown[]) => {
      const values = (callable.arguments ?? []).map((argument, index) => [argument.name, parts[index]] as const);
      const flags = parts[parts.length - 2] as Values;
      const given = new Set(Object.keys(flags).filter((flag) => command.getOptionValueSource(flag) === "cli"));
      await target.run(callable, { arguments: Object.fromEntries(values) as Values, flags, given });
    });
  }
}

/** The command that contains the actions. */
function addGroup(program: Command, name: string, summary: string, terminal: Terminal): Command {
  return configure(program.command(name), terminal)
    .description(summary)
    .usage("[action] [options]")
    .helpOption("-h, --help", "Show help.")
    .helpCommand(false)
    .commandsGroup("Actions:")
    .addHelpText("after", `\nRun \`sluice ${name} <action> --help\` for the options of an action.`);
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

function argumentOf({ name, doc, required, many, values, kind }: ArgumentDeclaration): Argument {
  const word = `${name}${many === true ? "..." : ""}`;
  const argument = new Argument(required === true ? `<${word}>` : `[${word}]`, doc);
  if (values !== undefined && many !== true) return argument.choices([...values]);
  return argument.argParser((text: string, previous: unknown) => {
    if (text === "") throw new UsageError(`argument '${name}' must not be empty`);
    assertKind(`argument '${name}'`, kind, text);
    return many === true ? [...itemsOf(previous), text] : text;
  });
}

function optionOf(flag: FlagDeclaration): Option {
  const value = flag.values?.join("|") ?? flag.value;
  const placeholder = value === undefined ? "" : flag.optional === true ? ` [${value}]` : ` <${value}>`;
  const option = new Option(`${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${placeholder}`, flag.doc);
  if (flag.default !== undefined) option.default(flag.default, flag.default);
  if (flag.optional === true) option.preset("true");
  if (flag.values !== undefined && flag.optional !== true) return option.choices([...flag.values]);
  if (value !== undefined)
    option.argParser((text: string, previous: unknown) => {
      const item = readFlagValue(flag, text);
      return flag.many === true ? [...itemsOf(previous), item] : item;
    });
  return option;
}

const itemsOf = (previous: unknown): readonly string[] => (Array.isArray(previous) ? (previous as readonly string[]) : []);

async function call({ load }: Callable, values: Omit<Call, "signal">, stop: AbortSignal | undefined): Promise<number> {
  const { run } = await load();
  const { signal, dispose } = stop === undefined ? stopSignal() : { signal: stop, dispose: () => undefined };
  try {
    return await run({ ...values, signal });
  } finally {
    dispose();
    values.terminal.progress(undefined);
  }
}

/** Rewrites a message of the command-line parser as one sentence. */
function sentenceOf(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\./s, "unknown $2 '$1'.")
    .replace(/^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\./s, "invalid value '$2' for $1.")
    .replace(/^option '(?:-\w, )?(--[\w-]+)(.*)' argument missing$/s, "$1 needs a value: $1$2")
    .replace(/^(too many arguments) for '.*'\. Expected (.*)\.$/s, "$1: expected $2")
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
  const { name: kind, message = String(error) } = (error ?? {}) as Partial<Error>;
  if (kind === "AbortError") return 130;
  terminal.note(`${prefix}: ${message}`);
  if (error instanceof CommandError) return error.exit;
  // By its name: loading its class would slow down every command.
  return error instanceof UsageError || kind === "SettingsError" ? 2 : 1;
}
