import { describe, expect, it } from "vitest";
import { commands } from "../commands/index.ts";
import { recordedTerminal } from "../terminal/recorded-terminal.test-support.ts";
import { completionScript } from "./completion-script.ts";
import { callablesOf, CommandError, UsageError, type CommandDeclaration } from "./declaration.ts";
import { runProgram } from "./program.ts";
import { cliReference } from "./reference-page.ts";

const probe = (
  run: (call: any) => Promise<number>,
  more: Partial<Extract<CommandDeclaration, { readonly actions?: undefined }>> = {},
): readonly CommandDeclaration[] => [
  {
    name: "probe",
    summary: "Probes.",
    arguments: [{ name: "paths", doc: "Files.", many: true }],
    flags: [
      { name: "level", values: ["low", "high"], default: "low", doc: "How." },
      { name: "param", short: "p", value: "x", many: true, doc: "Some." },
      { name: "dry-run", doc: "Only check." },
    ],
    examples: [{ doc: "Probe", command: "sluice probe" }],
    exits: { 0: "fine", 2: "wrong", 7: "seven" },
    load: async () => ({ run }),
    ...more,
  },
];

async function runArgs(list: readonly CommandDeclaration[], ...args: readonly string[]) {
  const terminal = recordedTerminal();
  return { exit: await runProgram(list, args, terminal), output: terminal.output(), stderr: terminal.stderr() };
}

describe("a command line", () => {
  it("passes arguments and flags by name, and returns the command's exit code", async () => {
    let seen: any;
    const { exit } = await runArgs(
      probe(async (call) => ((seen = call), 7)),
      "probe",
      "a",
      "b",
      "--level",
      "high",
      "-p",
      "1",
      "-p",
      "2",
      "--dry-run",
    );
    expect([exit, seen.arguments, seen.flags]).toEqual([7, { paths: ["a", "b"] }, { level: "high", param: ["1", "2"], dryRun: true }]);
  });

  it.each([
    [["prob"], "sluice: unknown command 'prob' (Did you mean probe?); see `sluice --help`\n"],
    [["help", "prob"], "sluice: unknown command 'prob' (Did you mean probe?); see `sluice --help`\n"],
    [["help", "klingon"], "sluice: unknown command 'klingon'; see `sluice --help`\n"],
    [["klingon", "--help"], "sluice: unknown command 'klingon'; see `sluice --help`\n"],
    [["help", "probe", "klingon"], "sluice: unexpected 'klingon': use `sluice help probe`\n"],
    [["help", "--klingon"], "sluice: unknown option '--klingon'; see `sluice --help`\n"],
    [["probe", "--levle", "x"], "sluice probe: unknown option '--levle' (Did you mean --level?); see `sluice probe --help`\n"],
    [["probe", "--param"], "sluice probe: --param needs a value: --param <x>; see `sluice probe --help`\n"],
  ])("%j is rejected with one sentence", async (args, sentence) => {
    expect(
      await runArgs(
        probe(async () => 0),
        ...args,
      ),
    ).toEqual({ exit: 2, output: "", stderr: sentence });
  });

  it.each([["help"], ["help", "help"], ["help", "--help"], ["--help"]])("%s %s prints the list of commands", async (...args) => {
    const { exit, output, stderr } = await runArgs(
      probe(async () => 0),
      ...args,
    );
    expect([exit, stderr]).toEqual([0, ""]);
    expect(output).toContain("Usage: sluice <command> [options]");
  });

  it.each([
    [new UsageError("the file is gone"), 2, "sluice probe: the file is gone\n"],
    [new CommandError("no response"), 1, "sluice probe: no response\n"],
    [new CommandError("bad file", 2), 2, "sluice probe: bad file\n"],
    [new TypeError("x is not a function"), 1, "sluice probe: x is not a function\n"],
  ])("%s is reported without a stack trace", async (error, exit, stderr) => {
    expect(
      await runArgs(
        probe(() => Promise.reject(error)),
        "probe",
      ),
    ).toEqual({ exit, output: "", stderr });
  });

  it("loads only the called command", async () => {
    const others = probe(async () => 0, {
      name: "other",
      load: () => Promise.reject(new Error("was loaded")),
      moreFlags: () => Promise.reject(new Error("moreFlags was called")),
    });
    expect((await runArgs([...probe(async () => 0), ...others], "probe")).exit).toBe(0);
    expect((await runArgs([...probe(async () => 0), ...others], "--help")).exit).toBe(0);
  });

  it("shows progress only in a terminal, and clears it before other output", async () => {
    const run = async ({ terminal }: any): Promise<number> => (terminal.progress("1/2 halfway"), terminal.write("done"), 0);
    const seen = recordedTerminal({ isInteractive: true });
    await runProgram(probe(run), ["probe"], seen);
    expect([seen.output(), seen.stderr()]).toEqual(["done\n", "1/2 halfway\r\u001B[2K"]);
    expect(await runArgs(probe(run), "probe")).toEqual({ exit: 0, output: "done\n", stderr: "" });
  });
});

describe.each(commands.map((command) => [command.name, command] as const))("sluice %s", (name, command) => {
  it("has a help text with examples and exit codes", async () => {
    const { exit, output, stderr } = await runArgs(commands, name, "--help");
    expect([exit, stderr]).toEqual([0, ""]);
    expect(output).toMatch(new RegExp(`^Usage: sluice ${name} `));
    for (const { command: line } of command.examples) expect(output).toContain(line);
    for (const code of Object.keys(command.exits)) expect(output).toMatch(new RegExp(`^ {2}${code} +\\S`, "m"));
    expect(await runArgs(commands, "help", name)).toMatchObject({ exit: 0, output });
  });

  it.each((command.actions ?? []).map((action) => [action.name, action] as const))("has a help text for %s", async (action, { summary, flags = [] }) => {
    const { exit, output, stderr } = await runArgs(commands, name, action, "--help");
    expect([exit, stderr]).toEqual([0, ""]);
    expect(output).toMatch(new RegExp(`^Usage: sluice ${name} ${action} `));
    for (const flag of [...flags, ...(command.flags ?? [])]) expect(output).toContain(`--${flag.name}`);
    expect((await runArgs(commands, name, "--help")).output.replaceAll(/\s+/g, " ")).toContain(summary);
    expect(await runArgs(commands, "help", name, action)).toMatchObject({ exit: 0, output });
  });

  it("documents all its parts", () => {
    expect(command.examples.length).toBeGreaterThan(0);
    expect((command.load === undefined) !== (command.actions === undefined)).toBe(true);
    for (const { summary, flags, arguments: positionals = [] } of callablesOf(command)) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      for (const { doc } of [...flags, ...positionals]) expect(doc).toMatch(/\.$/);
    }
    expect(command.summary).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(command.exits)).toEqual(expect.arrayContaining(["0", "2"]));
  });
});

describe("completion", () => {
  it.each(["zsh", "fish"] as const)("lists every command and flag in %s", async (shell) => {
    const script = await completionScript(shell, commands);
    for (const { path, flags } of commands.flatMap(callablesOf)) {
      for (const word of path.split(" ")) expect(script).toContain(word);
      for (const flag of flags) expect(script).toMatch(new RegExp(`(--|-l )${flag.name}\\b`));
    }
  });
});

it("the reference page lists every command, action, flag and exit code", () => {
  const page = cliReference(commands);
  for (const { name, examples } of commands) {
    expect(page).toContain(`## sluice ${name}\n`);
    for (const { command } of examples) expect(page).toContain(command);
  }
  for (const { path, flags, arguments: positionals = [] } of commands.flatMap(callablesOf)) {
    expect(page).toMatch(new RegExp(`\`sluice ${path}[ \`]`));
    for (const argument of positionals) expect(page).toContain(`| \`${argument.name}\``);
    for (const flag of flags) expect(page).toContain(`--${flag.name}`);
  }
});
