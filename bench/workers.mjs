// npm run bench:workers — what a second worker adds: the same webhook served by one process and by a service of two, in turns.
// The load generator needs a core of its own. With more cores than workers the rates are compared as they are. With fewer, both
// services are held on one core, the workers are called one after the other, and what two cores would give follows from the
// processor time one answer costs the whole service; that leaves out what cores have to share, such as memory.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./lib/compare.mjs";
import { endsWithUs, temporaryFolder } from "./lib/ending.mjs";
import { load, loadTool, onCore } from "./lib/load.mjs";
import { postMessage } from "./lib/paired.mjs";
import { put, putDocument, token } from "./lib/processes.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { router, webhook } from "./lib/work.mjs";
import { connectionsByWorker, costPerCall } from "./lib/worker-turns.mjs";

const [rounds, seconds] = numbersOf("workers", ["rounds", 8], ["seconds of each", 2]);
const root = fileURLToPath(new URL("..", import.meta.url));
const workers = 2;
const callsPerTurn = 4_000;
const cores = availableParallelism();
const hasRoom = cores > workers;
/** The load generator is on core 1. */
const serviceCores = hasRoom ? ["0", ...Array.from({ length: cores - 2 }, (_, index) => String(index + 2))].join() : "0";
const named = (work, id) => ({ ...work, flow: work.flow.replace("id: hook", `id: ${id}`) });
const works = {
  webhook: named(webhook, "webhook"),
  router: named(router, "router"),
  // Tied to the lead: what the other worker gets is handed on.
  tied: { body: "{}", flow: "- route: {id: tied, from: {uri: webhook, steps: [{throttle: {constant: '1000000'}}, {setBody: {constant: ok}}]}}" },
};

/** A service on the cores that are its; its output goes to a file, for reading it here would take from the core of the load. */
async function startService(count) {
  const folder = temporaryFolder("workers");
  const output = openSync(join(folder, "output"), "a");
  const environment = {
    ...process.env,
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: join(folder, "data"),
    SERVICE_DEPLOY_TOKEN: token,
    SERVICE_WORKERS: String(count),
  };
  const [command, ...parameters] = onCore(serviceCores, [process.execPath, "packages/cli/bin/sluice.mjs", "run"]);
  const child = endsWithUs(spawn(command, parameters, { cwd: root, env: environment, stdio: ["ignore", output, "inherit"] }));
  closeSync(output);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let first = "";
  const stop = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let waited = 0; !first.includes("\n"); waited += 20) {
    if (child.exitCode !== null || waited > 60_000) throw new Error(`the service did not start: ${first}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    first = readFileSync(join(folder, "output"), "utf8");
  }
  const { baseUrl } = JSON.parse(first.slice(0, first.indexOf("\n")));
  try {
    await putDocument(baseUrl, "message-mappings/total", router.mapping);
    for (const [id, { flow }] of Object.entries(works)) await put(baseUrl, id, flow);
  } catch (error) {
    await stop();
    throw error;
  }
  return { baseUrl, pid: child.pid, stop };
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function round(service, name) {
  return load(`${service.baseUrl}/api/${name}`, works[name].body, { seconds });
}

/** Calls in turns; the median of what `measure` makes of each pair of turns. */
async function inTurns(measure) {
  const pairs = [];
  for (let number = 0; number < rounds; number++) {
    const seen = new Map();
    for (const service of number % 2 === 0 ? [one, several] : [several, one]) seen.set(service, await measure(service));
    pairs.push([seen.get(one), seen.get(several)]);
  }
  return pairs;
}

async function compareRates(name) {
  // Each worker has to warm up by itself.
  for (let warming = 0; warming < 3; warming++) for (const service of [one, several]) await round(service, name);
  const pairs = await inTurns((service) => round(service, name));
  return {
    one: Math.round(median(pairs.map(([single]) => single.perSecond))),
    several: Math.round(median(pairs.map(([, many]) => many.perSecond))),
    ratio: median(pairs.map(([single, many]) => many.perSecond / single.perSecond)),
    failed: pairs.reduce((sum, [single, many]) => sum + single.failed + many.failed, 0),
  };
}

async function compareCosts(name) {
  const message = postMessage(`/api/${name}`, works[name].body);
  const ways = new Map();
  for (const service of [one, several]) {
    const workerPids = service === one ? [service.pid] : childrenOf(service.pid);
    for (let warming = 0; warming < 3; warming++) await round(service, name);
    const shares = await connectionsByWorker(service.baseUrl, workerPids, 32, message);
    ways.set(service, { shares, processes: () => [service.pid, ...childrenOf(service.pid)], message });
  }
  const pairs = await inTurns((service) => costPerCall(ways.get(service), callsPerTurn));
  for (const { shares } of ways.values()) for (const socket of shares.flat()) socket.destroy();
  return {
    one: Number(median(pairs.map(([single]) => single)).toFixed(1)),
    several: Number(median(pairs.map(([, many]) => many)).toFixed(1)),
    ratio: median(pairs.map(([single, many]) => (workers * single) / many)),
    failed: 0,
  };
}

const one = await startService(1);
const several = await startService(workers);
const results = [];
try {
  console.log(`load: ${loadTool()} on core 1, the services on core ${serviceCores}, ${rounds} rounds, 32 connections`);
  if (!hasRoom) spawnSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" });
  for (const name of Object.keys(works)) {
    const { ratio, ...figures } = await (hasRoom ? compareRates(name) : compareCosts(name));
    // A tied route runs in one worker whatever there is.
    results.push({ work: name, ...figures, ratio: name === "tied" ? null : Number(ratio.toFixed(2)) });
  }
} finally {
  await one.stop();
  await several.stop();
}
const unit = hasRoom ? "answers/s" : "µs per answer";
printTable(
  ["work", `${unit}, 1 worker`, `${unit}, ${workers} workers`, "failed", `${workers} workers to 1${hasRoom ? "" : " on two cores, computed"}`],
  results.map((row) => Object.values(row).map((value) => value ?? "")),
);
console.log(
  JSON.stringify({ bench: "workers", workers, cores, computed: !hasRoom, ...Object.fromEntries(results.map(({ work, ...figures }) => [work, figures])) }),
);
