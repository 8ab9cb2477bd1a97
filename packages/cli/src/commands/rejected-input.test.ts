// Errors from every command: one sentence with a fix on standard error, nothing on standard output, no colors, and a documented exit code.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandDeclaration } from "../command/declaration.ts";
import { runProgram } from "../command/program.ts";
import { recordedTerminal } from "../terminal/recorded-terminal.test-support.ts";
import { commands } from "./index.ts";

let folder: string;
let unreachable: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-rejected-"));
  writeFileSync(join(folder, "a.yaml"), "- from: {uri: direct:a, steps: [{log: x}]}\n");
  writeFileSync(join(folder, "a.test.yaml"), "flow: a.yaml\ntests: [{name: t, when: {direct: a}, then: [{status: completed}]}]\n");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  unreachable = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, "close");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function expectRejected({ name, exits }: CommandDeclaration, ...args: readonly string[]): Promise<{ exit: number; sentence: string }> {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, [name, ...args], terminal);
  const stderr = terminal.stderr();
  expect(terminal.output()).toBe("");
  expect(stderr).toMatch(new RegExp(`^sluice ${name}: [^\\n]+\\n$`));
  // One line must contain only one sentence.
  expect(stderr).not.toMatch(/[a-z)']\. [A-Z]/);
  expect(stderr).not.toContain("\u001B");
  expect(Object.keys(exits)).toContain(String(exit));
  return { exit, sentence: stderr.slice(`sluice ${name}: `.length, -1) };
}

const commandsWithFlag = (flag: string): readonly CommandDeclaration[] => commands.filter(({ flags }) => flags?.some(({ name }) => name === flag) === true);

describe.each(commands.map((command) => [command.name, command] as const))("sluice %s", (name, command) => {
  it("rejects an unknown flag", async () => {
    expect(await expectRejected(command, "--no-such-flag")).toEqual({ exit: 2, sentence: `unknown option '--no-such-flag'; see \`sluice ${name} --help\`` });
  });

  const requiresArgument = command.arguments?.[0]?.required === true;
  const hasChoices = command.arguments?.some(({ values }) => values !== undefined) === true;
  const takesFiles = command.arguments?.some(({ completes }) => completes === "files") === true && name !== "new";

  if (requiresArgument)
    it("reports missing arguments", async () => {
      const { exit, sentence } = await expectRejected(command);
      expect([exit, sentence]).toEqual([2, `missing required argument '${command.arguments?.[0]?.name}'; see \`sluice ${name} --help\``]);
    });

  if (hasChoices)
    it("lists the valid choices", async () => {
      const { exit, sentence } = await expectRejected(
        command,
        "klingon",
        ...(command.arguments
          ?.slice(1)
          .filter(({ required }) => required)
          .map(() => join(folder, "new")) ?? []),
      );
      expect([exit, sentence]).toEqual([2, expect.stringMatching(/^unknown \w+ 'klingon': choose one of [\w, ]+; see `sluice/)]);
    });

  if (takesFiles)
    it("names a missing file", async () => {
      const { exit, sentence } = await expectRejected(command, join(folder, "nowhere.yaml"));
      expect([exit, sentence]).toEqual([2, expect.stringMatching(/^file (or folder )?'.*nowhere\.yaml' not found: check the path$/)]);
    });
});

describe("a runtime that does not respond", () => {
  const argsByCommand: Readonly<Record<string, () => readonly string[]>> = {
    deploy: () => [join(folder, "a.yaml")],
    replay: () => ["run_01JCN0000000000000000000AA"],
    record: () => ["run_01JCN0000000000000000000AA"],
    versions: () => ["orders"],
    rollback: () => ["orders"],
  };
  const remoteCommands = commandsWithFlag("runtime").filter(({ name }) => name !== "doctor" && name !== "test");

  it.each(
    remoteCommands.flatMap((command) => [
      [command.name, command, []] as const,
      ...(commandsWithFlag("json").includes(command) ? [[`${command.name} --json`, command, ["--json"]] as const] : []),
    ]),
  )("%s reports it with a fix", async (_, command, more) => {
    const { exit, sentence } = await expectRejected(command, ...(argsByCommand[command.name]?.() ?? []), "--runtime", unreachable, ...more);
    expect([exit, sentence]).toEqual([1, `no runtime at ${unreachable} (ECONNREFUSED): start one with \`sluice start\`, or pass another URL with --runtime`]);
  });

  it.each(commandsWithFlag("runtime").map((command) => [command.name, command] as const))("%s rejects an invalid address", async (_, command) => {
    const args = command.name === "test" ? [join(folder, "a.test.yaml")] : (argsByCommand[command.name]?.() ?? []);
    expect(await expectRejected(command, ...args, "--runtime", "ftp://x")).toEqual({
      exit: 2,
      sentence: "'ftp://x' is not an HTTP URL: use for example http://127.0.0.1:8080",
    });
  });
});
