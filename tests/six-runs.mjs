// node tests/six-runs.mjs [alone] [busy]: runs `npm test` of the current commit in fresh clones, by default three times alone and three times while
// one endless loop per core keeps the machine busy. Runs of the same commit that were already done count: results and logs are kept in .scratch/test-runs.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const kept = join(root, ".scratch/test-runs");
const usage = "usage: node tests/six-runs.mjs [runs alone (default 3)] [runs on a busy machine (default 3)]";

const wanted = { alone: countOf(process.argv[2]), busy: countOf(process.argv[3]) };
const commit = git("rev-parse", "--short=10", "HEAD");
if (git("status", "--porcelain") !== "") console.log("The working tree has changes; the runs test the last commit without them.");
mkdirSync(kept, { recursive: true });
const results = resultsOf(commit);
for (const mode of ["alone", "busy"])
  while (results.filter((result) => result.mode === mode).length < wanted[mode]) {
    const number = results.length + 1;
    console.log(`Run ${number} of ${commit}, ${mode} …`);
    results.push(await runOnce(mode, join(kept, `${commit}-${number}.log`)));
    writeFileSync(join(kept, `${commit}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
  }
for (const { mode, seconds, isGreen, closing, details } of results)
  console.log([`${mode.padEnd(6)} ${String(seconds).padStart(5)} s  ${isGreen ? "green" : "RED  "}  ${closing}`, ...details].join("\n         "));
process.exitCode = results.every(({ isGreen }) => isGreen) ? 0 : 1;

function countOf(parameter = "3") {
  if (/^\d+$/.test(parameter)) return Number(parameter);
  console.error(usage);
  process.exit(2);
}

function git(...parameters) {
  return spawnSync("git", parameters, { cwd: root, encoding: "utf8" }).stdout.trim();
}

function resultsOf(name) {
  try {
    return JSON.parse(readFileSync(join(kept, `${name}.json`), "utf8"));
  } catch {
    return [];
  }
}

async function runOnce(mode, logFile) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-clone-"));
  spawnSync("git", ["clone", "--quiet", root, folder], { stdio: "inherit" });
  const loops = mode === "busy" ? Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for(;;);"])) : [];
  const log = openSync(logFile, "w");
  const startTime = Date.now();
  try {
    const child = spawn("npm", ["test"], { cwd: folder, stdio: ["ignore", log, log], shell: process.platform === "win32" });
    const code = await new Promise((resolve) => child.on("close", resolve));
    const seconds = Math.round((Date.now() - startTime) / 1000);
    const lines = readFileSync(logFile, "utf8").trimEnd().split("\n");
    return { mode, seconds, isGreen: code === 0, closing: lines.at(-1), details: detailsOf(lines) };
  } finally {
    closeSync(log);
    for (const loop of loops) loop.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of the summary about failed and skipped tests. */
function detailsOf(lines) {
  const start = lines.findLastIndex((line) => line === "Failed:" || line.startsWith("Skipped without"));
  const skipped = lines.lastIndexOf("Skipped:");
  const first = start === -1 ? skipped : start;
  return first === -1 ? [] : lines.slice(first, -1).filter((line) => line !== "");
}
