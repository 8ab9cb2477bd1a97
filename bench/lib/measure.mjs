// Runs benchmarks as a user would, and reads the figures from their last line of output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { killOnExit } from "./cleanup.mjs";
import { figuresAt } from "./figures.mjs";
import { exitCodes } from "./result.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const runTimeoutMs = 900_000;
const stackTrace = /^\s+at .+:\d+:\d+/m;

/**
 * Runs a command of Node: `result` is the JSON on the last line of its output, or `unavailable` says what the machine lacks, such as access to the
 * npm registry. A missed goal is a result. A stack trace in the output is a failure, even if the benchmark continued.
 */
export async function runBenchmark(command) {
  const child = killOnExit(spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"], timeout: runTimeoutMs }));
  let output = "";
  let errorOutput = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errorOutput += chunk));
  const [status, signal] = await once(child, "close");
  if (status === exitCodes.unavailable) return { unavailable: errorOutput.trim().split("\n").at(-1) };
  const failure = (reason) => new Error(`${command.join(" ")} ${reason}: ${errorOutput.slice(-2_000)}`);
  if (signal !== null) throw failure(`was killed by ${signal}`);
  if (status !== 0 && status !== exitCodes.missedGoal) throw failure(`failed with exit code ${status} after ${output.slice(-1_000)}`);
  if (stackTrace.test(errorOutput)) throw failure("printed a stack trace");
  const last = output.trim().split("\n").at(-1);
  if (!last?.startsWith('{"bench"')) throw failure("printed no result");
  return { result: JSON.parse(last) };
}

/** One run of a command; undefined when this machine cannot run it. */
export async function figuresOf(command, directions) {
  const { result } = await runBenchmark(command);
  return result === undefined ? undefined : figuresAt(result, Object.keys(directions));
}
