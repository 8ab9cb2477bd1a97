// A runtime as users run it: a separate process that can be killed, stopped and inspected from outside.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { call, token, type ApiReply } from "./started-server.ts";

export const main = fileURLToPath(new URL("../packages/cli/bin/sluice.cjs", import.meta.url));

export interface SpawnedServer {
  readonly baseUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Its standard output and standard error so far. */
  output(): string;
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiReply>;
  putFlow(id: string, yaml: string): Promise<ApiReply>;
  /** Sends a signal and waits for the exit; returns the exit code, or the signal's name. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** Removes its data. */
  clean(): void;
}

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  /** A command that runs the runtime, such as strace with its options. */
  readonly under?: readonly string[];
  /** The script to run; by default, the command of this repository. */
  readonly file?: string;
  /** The working directory. */
  readonly cwd?: string;
}

export async function spawnServer(options: SpawnOptions = {}): Promise<SpawnedServer> {
  const { env = {}, dataDir = mkdtempSync(join(tmpdir(), "sluice-")), under = [], file = main, cwd } = options;
  const [command, ...parameters] = [...under, process.execPath, file, "run"];
  const variables = { PATH: process.env["PATH"], SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: dataDir, SERVICE_DRAIN_MS: "5s", ...env };
  const child = spawn(command as string, parameters, { cwd, env: variables, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  child.stderr.on("data", (chunk) => (text += chunk));
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  const ready = await new Promise<{ baseUrl: string; pid: number }>((resolve, reject) => {
    lines.on("line", (line) => {
      text += `${line}\n`;
      if (line.startsWith('{"baseUrl"')) resolve(JSON.parse(line) as { baseUrl: string; pid: number });
    });
    void ended.then((code) => reject(new Error(`the runtime ended with ${code} before it was ready: ${text}`)));
  });
  const api: SpawnedServer["api"] = (method, path, body, headers = {}) =>
    call(ready.baseUrl, method, `/_api${path}`, body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body), {
      authorization: `Bearer ${token}`,
      ...headers,
    });
  return {
    baseUrl: ready.baseUrl,
    pid: ready.pid,
    dataDir,
    child,
    output: () => text,
    api,
    putFlow: (id, yaml) => api("PUT", `/flows/${id}`, { yaml }),
    end: (signal = "SIGTERM") => {
      try {
        process.kill(ready.pid, signal);
      } catch (error) {
        // It has already exited.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
      return ended;
    },
    clean: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
