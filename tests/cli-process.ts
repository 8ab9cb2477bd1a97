// The sluice command as a separate process, in its own folder.
import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../packages/cli/bin/sluice.cjs", import.meta.url));

interface CommandResult {
  readonly exit: number | null;
  readonly output: string;
  readonly stderr: string;
}

export interface CliFolder {
  readonly path: string;
  /** A PATH in which `sluice` is the command under test. */
  readonly toolPath: string;
  put(files: Readonly<Record<string, string>>): void;
  /** Runs a shell command line in the folder; `sluice` is the command under test. */
  shell(line: string, env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  sluice(...args: readonly string[]): Promise<CommandResult>;
  /** Runs a command until it has printed a string, then interrupts it; returns its complete output. */
  interruptAfter(line: string, text: string, env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  remove(): void;
}

/** Creates an empty folder to run commands in. `file`: the script that `sluice` runs; by default, the one in this repository. */
export function cliFolder(environment: Readonly<Record<string, string>> = {}, file: string = bin): CliFolder {
  const path = mkdtempSync(join(tmpdir(), "sluice-cli-"));
  const tools = mkdtempSync(join(tmpdir(), "sluice-bin-"));
  writeFileSync(join(tools, "sluice"), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`);
  chmodSync(join(tools, "sluice"), 0o755);
  const env = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
    PATH: `${tools}${delimiter}${process.env["PATH"]}`,
    HOME: path,
    TERM: "dumb",
    ...environment,
    ...extra,
  });

  const shell: CliFolder["shell"] = (line, extra) =>
    new Promise((resolve) => {
      execFile("bash", ["-c", line], { cwd: path, env: env(extra), timeout: 270_000, maxBuffer: 64 * 1_048_576 }, (error, output, stderr) => {
        resolve({ exit: error === null ? 0 : typeof error.code === "number" ? error.code : null, output, stderr });
      });
    });

  return {
    path,
    toolPath: `${tools}${delimiter}${process.env["PATH"]}`,
    put(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
    },
    shell,
    sluice: (...args) => shell(`sluice ${args.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`),
    interruptAfter: (line, text, extra) =>
      new Promise((resolve) => {
        const child = spawn("bash", ["-c", `exec ${line.replace(/^((?:\w+=\S+ )*)/, (assignments) => (assignments === "" ? "" : `env ${assignments}`))}`], {
          cwd: path,
          env: env(extra),
          stdio: ["ignore", "pipe", "pipe"],
        });
        let output = "";
        let stderr = "";
        let interrupted = false;
        const interruptIfPrinted = (): void => {
          if (interrupted || !(output + stderr).includes(text)) return;
          // Sent only once, because a second interrupt stops the command immediately.
          interrupted = true;
          child.kill("SIGINT");
        };
        // real time: ends a command that hangs before the limit of its test.
        const killTimer = setTimeout(() => child.kill("SIGKILL"), 270_000);
        child.stdout.on("data", (part) => ((output += part), interruptIfPrinted()));
        child.stderr.on("data", (part) => ((stderr += part), interruptIfPrinted()));
        child.on("close", (exit) => (clearTimeout(killTimer), resolve({ exit, output, stderr })));
      }),
    remove() {
      rmSync(path, { recursive: true, force: true });
      rmSync(tools, { recursive: true, force: true });
    },
  };
}
