// Runs the tools of this repository with a progress display. Uses only Node built-ins, because it runs before anything is installed.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a Node script in the repository; resolves with its exit code. */
export function runNode(parameters, environment = {}) {
  return runCommand(process.execPath, parameters, { env: { ...process.env, ...environment } });
}

/** Runs npm: the one that started this process, or the one on the PATH. Its output is shown when it fails. */
export function runNpm(parameters) {
  const npmPath = process.env.npm_execpath;
  const quiet = { stdio: ["ignore", "pipe", "pipe"] };
  if (npmPath !== undefined && /npm-cli\.c?js$/.test(npmPath)) return runCommand(process.execPath, [npmPath, ...parameters], quiet);
  // On Windows npm is a batch file, which only a shell can start.
  return runCommand("npm", parameters, { ...quiet, shell: process.platform === "win32" });
}

function runCommand(command, parameters, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: ["ignore", "inherit", "inherit"], ...options });
    const forward = (signal) => child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, forward);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => {
      console.error(`Cannot run ${command}: ${error.message}`);
      resolve(1);
    });
    child.on("close", (code) => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, forward);
      if (code !== 0 && output !== "") process.stderr.write(`\n${output}`);
      resolve(code ?? 1);
    });
  });
}

/** Shows the current task and its duration; exits with the exit code of a failed task. */
export async function withProgress(title, work) {
  const startTime = performance.now();
  const elapsed = () => `${((performance.now() - startTime) / 1_000).toFixed(1)} s`;
  const isTerminal = process.stderr.isTTY === true;
  const show = () => process.stderr.write(`\r${title} … ${elapsed()} `);
  if (isTerminal) show();
  else console.error(`${title} …`);
  const ticking = isTerminal ? setInterval(show, 100) : undefined;
  const code = await work();
  clearInterval(ticking);
  process.stderr.write(`${isTerminal ? "\r" : ""}${title} ${code === 0 ? "took" : "failed after"} ${elapsed()}${isTerminal ? "   " : ""}\n`);
  if (code !== 0) process.exit(code);
}
