// Runs benchmarks as a user would, and reads the figures from their last line of output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { killOnExit } from "./cleanup.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const runTimeoutMs = 900_000;
const tries = 3;

const better = { less: Math.min, more: Math.max };

/** The JSON on the last line of a run's output; undefined when the machine lacks something, such as access to the npm registry. */
async function resultOf(command) {
  const child = killOnExit(spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"], timeout: runTimeoutMs }));
  let output = "";
  let errorOutput = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errorOutput += chunk));
  const [status, signal] = await once(child, "close");
  if (status === 3) return undefined;
  const failure = (reason) => new Error(`${command.join(" ")} ${reason}: ${errorOutput.slice(-2_000)}`);
  if (signal !== null) throw failure(`was killed by ${signal}`);
  // A benchmark with its own goal exits with 1 when it is missed; its figures are still valid.
  if (status !== 0 && status !== 1) throw failure(`failed with exit code ${status}`);
  const last = output.trim().split("\n").at(-1);
  if (!last?.startsWith('{"bench"')) throw failure(`printed no result and ended with exit code ${status}`);
  return JSON.parse(last);
}

/** The figures of one run, by path; `directions` defines per path which is better, `less` or `more`. */
export async function figuresOf(command, directions) {
  const result = await resultOf(command);
  if (result === undefined) return undefined;
  return Object.fromEntries(
    Object.keys(directions).map((path) => {
      const value = path.split(".").reduce((part, name) => part?.[name], result);
      if (typeof value !== "number") throw new Error(`${command.join(" ")} reports no ${path}`);
      return [path, value];
    }),
  );
}

/** The best figures of up to three runs. Runs are repeated while a figure misses its budget, because noise differs from run to run and a slower hot path does not. */
export async function bestFiguresOf(command, directions, isAcceptable) {
  let best;
  for (let count = 0; count < tries; count++) {
    const figures = await figuresOf(command, directions);
    if (figures === undefined) return undefined;
    best =
      best === undefined ? figures : Object.fromEntries(Object.entries(figures).map(([path, value]) => [path, better[directions[path]](best[path], value)]));
    if (Object.entries(best).every(([path, value]) => isAcceptable(path, value))) break;
  }
  return best;
}
