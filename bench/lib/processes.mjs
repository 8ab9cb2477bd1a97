// Servers under test, each pinned to core 0, started fresh and stopped for certain.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { onCore } from "./load.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const token = "bench-token";

/** Starts a command that prints one line of JSON with `baseUrl` when it is ready. */
async function start(command, environment, output) {
  const [file, ...parameters] = onCore(0, command);
  const child = spawn(file, parameters, { cwd: root, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${command.join(" ")} ended with ${code} before it was ready`)));
  });
  lines.close();
  child.stdout.resume();
  output?.(child);
  return { baseUrl: JSON.parse(first).baseUrl, child, stop: () => new Promise((resolve) => (child.once("exit", resolve), child.kill("SIGTERM"))) };
}

export async function startSluice(environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-data-"));
  const server = await start([process.execPath, "packages/cli/dist/main.js", "run"], {
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: folder,
    SERVICE_DEPLOY_TOKEN: token,
    ...environment,
  });
  return { ...server, stop: async () => (await server.stop(), rmSync(folder, { recursive: true, force: true })) };
}

export async function startBare(work) {
  return start([process.execPath, "bench/lib/bare-server.mjs", work], {});
}

/** Processor time a process has used, microseconds; undefined where the system does not tell. */
export function cpuMicros(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return undefined;
  }
}

/** Installs a flow over the management API. */
export async function put(baseUrl, id, yaml) {
  const response = await fetch(`${baseUrl}/_api/flows/${id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ yaml }),
  });
  if (!response.ok) throw new Error(`PUT ${id}: ${response.status} ${await response.text()}`);
}
