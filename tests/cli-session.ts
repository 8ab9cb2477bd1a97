// The sluice command in this process, in its own folder and environment: a process per call would take a hundred times as long. cli-process.ts is for tests
// that need a process.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runProgram } from "../packages/cli/src/command/program.ts";
import { commands } from "../packages/cli/src/commands/index.ts";
import { recordedTerminal } from "../packages/cli/src/terminal/recorded-terminal.test-support.ts";

export interface CommandResult {
  readonly exit: number;
  readonly output: string;
  readonly stderr: string;
}

interface CallOptions {
  /** Variables of this call. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The command runs in a terminal, in which the user types this. */
  readonly answer?: string;
  /** Interrupts the command when its output contains this. */
  readonly until?: string;
  /** Interrupts the command. */
  readonly signal?: AbortSignal;
  /** Receives standard output and standard error so far. */
  readonly onWrite?: (text: string) => void;
}

export interface CliSession {
  /** The working directory of the commands. */
  readonly path: string;
  put(files: Readonly<Record<string, string>>): void;
  read(file: string): string;
  sluice(...args: readonly string[]): Promise<CommandResult>;
  run(args: readonly string[], options?: CallOptions): Promise<CommandResult>;
  /** Runs a command until its output contains a text, then interrupts it. */
  remove(): void;
}

/** Variables that change what a command does; the developer's own do not apply. */
const isForeign = (name: string): boolean => /^(SERVICE|SLUICE|DESIGNER)_|^(CI|NO_COLOR|FORCE_COLOR|npm_lifecycle_event)$/.test(name);

/** Changes the working directory and the environment of this process until it is removed; the calls of a session may overlap. */
export function openCliSession(environment: Readonly<Record<string, string>> = {}): CliSession {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sluice-session-")));
  const before = { cwd: process.cwd(), env: { ...process.env } };
  setEnvironment({ ...Object.fromEntries(Object.entries(before.env).filter(([name]) => !isForeign(name))), HOME: path, ...environment });
  process.chdir(path);

  async function run(args: readonly string[], { env = {}, answer, until, signal, onWrite }: CallOptions = {}): Promise<CommandResult> {
    const previous = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
    setVariables(env);
    const stop = new AbortController();
    signal?.addEventListener("abort", () => stop.abort(), { once: true });
    const terminal = recordedTerminal({
      ...(answer === undefined ? {} : { answer }),
      onWrite: () => {
        const text = terminal.output() + terminal.stderr();
        onWrite?.(text);
        if (until !== undefined && text.includes(until)) stop.abort();
      },
    });
    try {
      const exit = await runProgram(commands, args, terminal, stop.signal);
      return { exit, output: terminal.output(), stderr: terminal.stderr() };
    } finally {
      setVariables(previous);
    }
  }

  return {
    path,
    put(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
    },
    read: (file) => readFileSync(join(path, file), "utf8"),
    sluice: (...args) => run(args),
    run,
    remove() {
      process.chdir(before.cwd);
      setEnvironment(before.env);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function setEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  setVariables(variables);
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}
