// Servers under test, pinned to core 0 by default, started fresh and always stopped.
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killOnExit, temporaryFolder } from "./cleanup.mjs";
import { onCore } from "./load.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const token = "bench-token";
const startTimeoutMs = 180_000;
const responseTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

/**
 * Starts a command that prints one line of JSON with `baseUrl` when it is ready. Its output goes to a file: a pipe would be read by this process on
 * the core of the load, and a full pipe would distort the benchmark. With `isGroup` it runs as a process group with the id of `child`.
 */
export async function start(command, environment = {}, { cores = "0", isGroup = false } = {}) {
  const folder = temporaryFolder("output");
  const path = join(folder, "output");
  const output = openSync(path, "a");
  const [file, ...parameters] = onCore(cores, command);
  const settings = { cwd: root, env: { ...process.env, ...environment }, stdio: ["ignore", output, "inherit"], detached: isGroup };
  const child = killOnExit(spawn(file, parameters, settings), { isGroup });
  closeSync(output);
  let exitReason;
  child.once("exit", (code, signal) => (exitReason = signal === null ? `code ${code}` : `signal ${signal}`));
  let first = "";
  const startTime = performance.now();
  while (!first.includes("\n")) {
    if (performance.now() - startTime > startTimeoutMs) throw new Error(`${command.join(" ")} is not ready after ${startTimeoutMs / 1_000} s`);
    if (exitReason !== undefined) throw new Error(`${command.join(" ")} exited with ${exitReason} before it was ready`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    first = readFileSync(path, "utf8");
  }
  const stop = async () => {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const killTimer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    if (exitReason === undefined && child.kill("SIGTERM")) await exited;
    clearTimeout(killTimer);
    rmSync(folder, { recursive: true, force: true });
  };
  return { baseUrl: JSON.parse(first.slice(0, first.indexOf("\n"))).baseUrl, child, stop };
}

export async function startSluice(environment = {}, placement = {}) {
  const folder = temporaryFolder("data");
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: folder, SERVICE_DEPLOY_TOKEN: token, ...environment };
  const server = await start([process.execPath, "packages/cli/bin/sluice.cjs", "run"], settings, placement);
  return { ...server, stop: async () => (await server.stop(), rmSync(folder, { recursive: true, force: true })) };
}

/** The same work on bare node:http, in one process or a cluster of several. */
export async function startBare(work, processes = 1, placement = {}) {
  return start([process.execPath, "bench/lib/bare-server.mjs", work, String(processes)], {}, placement);
}

/** CPU time of all threads of a process in microseconds, measured in nanoseconds; NaN where it is not available. */
export function cpuMicros(pid) {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    return nanoseconds / 1_000;
  } catch {
    return Number.NaN;
  }
}

/** Uploads a document through the management API. */
export async function putDocument(baseUrl, path, document) {
  const response = await fetch(`${baseUrl}/_api/${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(document),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}

/** Uploads a flow through the management API. */
export const put = (baseUrl, id, yaml) => putDocument(baseUrl, `flows/${id}`, { yaml });

/** Installs one of the two workloads (workloads.mjs): the flow `hook` and its mapping, if any. */
export async function deploy(baseUrl, { flow, mapping }) {
  if (mapping !== undefined) await putDocument(baseUrl, "message-mappings/total", mapping);
  await put(baseUrl, "hook", flow);
}

/** Calls a server once and verifies that it does the measured work. */
export async function assertResponse(baseUrl, path, body, expected, headers = {}) {
  const signal = AbortSignal.timeout(responseTimeoutMs);
  const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body, signal });
  const text = await response.text();
  if (text !== expected) throw new Error(`${baseUrl}${path} responded with ${response.status} ${text}, expected ${expected}`);
}
