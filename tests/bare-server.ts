// A bare node:http server in a separate process. Tests put the same load on it to measure what Node and the machine account for.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("bare-server.mjs", import.meta.url));

export interface BareServer {
  readonly baseUrl: string;
  readonly pid: number;
  end(): Promise<void>;
}

export async function startBareServer(under: readonly string[] = []): Promise<BareServer> {
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
