// An idle server in a separate process: the baseline for the resources that a busy machine, or Node itself, uses.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("idle-server.mjs", import.meta.url));

export interface IdleServer {
  readonly baseUrl: string;
  readonly pid: number;
  end(): Promise<void>;
}

export async function startIdleServer(under: readonly string[] = []): Promise<IdleServer> {
  const [command, ...parameters] = [...under, process.execPath, program];
  const child = spawn(command, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(text.toString().trim());
  const ended = once(child, "exit");
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
