// The declaration of a command. Help, completion, the reference page and the parser are generated from it; the code of a command is
// loaded only when it is called.
import type { Terminal } from "../terminal/terminal.ts";
import type { ValueKind } from "./value-kinds.ts";

export interface ArgumentDeclaration {
  readonly name: string;
  readonly doc: string;
  readonly required?: boolean;
  /** Accepts all remaining arguments. */
  readonly many?: boolean;
  readonly values?: readonly string[];
  /** What the value names; malformed values are rejected. */
  readonly kind?: ValueKind;
  /** Completion that the shell offers for the argument. */
  readonly completes?: "files";
}

export interface FlagDeclaration {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in the help; a flag without one is a boolean switch. */
  readonly value?: string;
  readonly values?: readonly string[];
  /** True when the flag may be repeated. */
  readonly many?: boolean;
  /** The value is optional and defaults to `true`. */
  readonly optional?: boolean;
  readonly default?: string;
  /** The value is a comma-separated list of these. */
  readonly list?: readonly string[];
  /** The value is a number in this range. */
  readonly number?: NumberRange;
  /** The value is a point in time: ISO 8601, or an age such as `15m`. */
  readonly isTime?: boolean;
  /** What the value names; malformed values are rejected. */
  readonly kind?: ValueKind;
  /** Empty text is a value. */
  readonly allowsEmpty?: boolean;
  readonly doc: string;
}

export interface NumberRange {
  readonly min: number;
  readonly max?: number;
  /** By default only integers are accepted. */
  readonly allowsFractions?: boolean;
}

/** A complete command line; a test runs every example. */
interface ExampleDeclaration {
  readonly doc: string;
  readonly command: string;
  /** Expected exit code, if not 0. */
  readonly exit?: number;
  /** For a command that runs until it is stopped: the text it prints when ready. */
  readonly until?: string;
  /** A program that must be installed; without it, the test of the example is skipped. */
  readonly needs?: string;
}

interface CommandBase {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** Of a command with actions: the flags that all actions accept. */
  readonly flags?: readonly FlagDeclaration[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly examples: readonly ExampleDeclaration[];
  readonly exits: Readonly<Record<number, string>>;
}

interface PlainCommand extends CommandBase {
  readonly arguments?: readonly ArgumentDeclaration[];
  /** Additional flags that are computed on demand, because they need more modules. */
  readonly moreFlags?: () => Promise<readonly FlagDeclaration[]>;
  readonly load: () => Promise<{ readonly run: Run }>;
  readonly actions?: undefined;
}

interface CommandWithActions extends CommandBase {
  /** The first action runs if none is named. */
  readonly actions: readonly ActionDeclaration[];
  readonly arguments?: undefined;
  readonly moreFlags?: undefined;
  readonly load?: undefined;
}

export type CommandDeclaration = PlainCommand | CommandWithActions;

/** One of several things that a command does with one kind of object: `sluice flows remove`. */
export interface ActionDeclaration {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly ArgumentDeclaration[];
  readonly flags?: readonly FlagDeclaration[];
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** A complete call without its values: a command, or an action of one. */
export interface Callable extends Pick<PlainCommand, "summary" | "arguments" | "load"> {
  /** `lint`, or `flows remove`. */
  readonly path: string;
  readonly flags: readonly FlagDeclaration[];
}

/** Everything that a command can be called as, without the flags that are computed on demand. */
export function callablesOf(command: CommandDeclaration): readonly Callable[] {
  const { name, flags = [], actions } = command;
  if (actions === undefined) return [{ path: name, summary: command.summary, arguments: command.arguments ?? [], flags, load: command.load }];
  return actions.map((action) => ({
    path: `${name} ${action.name}`,
    summary: action.summary,
    arguments: action.arguments ?? [],
    flags: [...(action.flags ?? []), ...flags],
    load: action.load,
  }));
}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** One invocation of a command. */
export interface Call {
  readonly arguments: Values;
  /** By the flag's name in camelCase. */
  readonly flags: Values;
  /** The flags on the command line, without those that have their default value. */
  readonly given: ReadonlySet<string>;
  readonly terminal: Terminal;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Runs the command; resolves to the exit code. */
export type Run = (call: Call) => Promise<number>;

/** Invalid command line or input file: printed as one sentence, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** The command failed: printed as one sentence. */
export class CommandError extends Error {
  readonly exit: number;

  constructor(message: string, exit = 1) {
    super(message);
    this.name = "CommandError";
    this.exit = exit;
  }
}

export const textFlag = (flags: Values, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

export const isOn = (flags: Values, name: string): boolean => flags[name] === true;

export function listOf(values: Values, name: string): readonly string[] {
  const value = values[name];
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : value;
}

/** The value of a flag that is declared as a number; the parser has checked it. */
export function numberFlag(flags: Values, name: string): number | undefined {
  const text = textFlag(flags, name);
  return text === undefined ? undefined : Number(text);
}
