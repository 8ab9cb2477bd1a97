// The declaration of a command. Help, completion, the reference page and the parser are generated from it; the code of a command is
// loaded only when it is called.
import type { Terminal } from "../terminal/terminal.ts";

interface ArgumentDeclaration {
  readonly name: string;
  readonly doc: string;
  readonly required?: boolean;
  /** Accepts all remaining arguments. */
  readonly many?: boolean;
  readonly values?: readonly string[];
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
  readonly doc: string;
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

export interface CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly arguments?: readonly ArgumentDeclaration[];
  readonly flags?: readonly FlagDeclaration[];
  /** Additional flags that are computed on demand, because they need more modules. */
  readonly moreFlags?: () => Promise<readonly FlagDeclaration[]>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly examples: readonly ExampleDeclaration[];
  readonly exits: Readonly<Record<number, string>>;
  readonly load: () => Promise<{ readonly run: Run }>;
}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** One invocation of a command. */
export interface Call {
  readonly command: CommandDeclaration;
  readonly arguments: Values;
  /** By the flag's name in camelCase. */
  readonly flags: Values;
  readonly terminal: Terminal;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Runs the command; resolves to the exit code. */
type Run = (call: Call) => Promise<number>;

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

/** Reads a flag that must be a positive integer. */
export function countFlag(flags: Values, name: string, fallback: number): number {
  const text = textFlag(flags, name);
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} must be a positive integer, not '${text}'`);
  return Number(text);
}
