// npm run bench:workers — what a second worker adds: the same webhook served by one process and by a service of two, in turns.
// Rates need cores: the load generator takes one itself, so on a machine with two cores the two workers share what it leaves.
// What they would come to with the generator elsewhere follows from the processor time per answer, which hardly depends on that.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./lib/compare.mjs";
import { load, loadTool } from "./lib/load.mjs";
import { cpuMicros, put, putDocument, token } from "./lib/processes.mjs";
import { router, webhook } from "./lib/work.mjs";

const rounds = Number(process.argv[2] ?? 8);
const seconds = Number(process.argv[3] ?? 2);
if (!(rounds >= 1 && seconds >= 1)) {
  console.error("usage: npm run bench:workers -- [rounds, 8] [seconds of each, 2]");
  process.exit(2);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const workers = 2;
const named = (work, id) => ({ ...work, flow: work.flow.replace("id: hook", `id: ${id}`) });
const works = {
  webhook: named(webhook, "webhook"),
  router: named(router, "router"),
  // Tied to the lead: what the other worker gets is handed on.
  tied: { body: "{}", flow: "- route: {id: tied, from: {uri: webhook, steps: [{throttle: {constant: '1000000'}}, {setBody: {constant: ok}}]}}" },
};

/** A service free to use every core; its output goes to a file, for this process stands still while the load runs. */
async function startService(count) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-workers-"));
  const output = openSync(join(folder, "output"), "a");
  const environment = {
    ...process.env,
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: join(folder, "data"),
    SERVICE_DEPLOY_TOKEN: token,
    SERVICE_WORKERS: String(count),
  };
  const child = spawn(process.execPath, ["packages/cli/bin/sluice.mjs", "run"], { cwd: root, env: environment, stdio: ["ignore", output, "inherit"] });
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
  return {
    baseUrl,
    /** Of the process and all that it started. */
    cpu: () => [child.pid, ...childrenOf(child.pid)].reduce((sum, pid) => sum + (cpuMicros(pid) ?? 0), 0),
    stop,
  };
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function round(service, name) {
  const before = service.cpu();
  const result = await load(`${service.baseUrl}/api/${name}`, works[name].body, { seconds });
  return { ...result, cpu: (service.cpu() - before) / (result.perSecond * seconds) };
}

const one = await startService(1);
const several = await startService(workers);
const results = [];
try {
  console.log(`load: ${loadTool()}, ${rounds} rounds of ${seconds} s each, 32 connections, ${availableParallelism()} cores shared with the load generator`);
  for (const name of Object.keys(works)) {
    for (const service of [one, several]) await round(service, name);
    const pairs = [];
    for (let number = 0; number < rounds; number++) {
      const turns = number % 2 === 0 ? [one, several] : [several, one];
      const measured = new Map();
      for (const service of turns) measured.set(service, await round(service, name));
      pairs.push([measured.get(one), measured.get(several)]);
    }
    const ratio = median(pairs.map(([single, many]) => many.perSecond / single.perSecond));
    const cost = median(pairs.map(([single, many]) => many.cpu / single.cpu));
    results.push({
      work: name,
      onePerSecond: Math.round(median(pairs.map(([single]) => single.perSecond))),
      severalPerSecond: Math.round(median(pairs.map(([, many]) => many.perSecond))),
      ratio: Number(ratio.toFixed(2)),
      processorTimeRatio: Number(cost.toFixed(2)),
      ratioWithLoadAside: name === "tied" ? null : Number((workers / cost).toFixed(2)),
      failed: pairs.reduce((sum, [single, many]) => sum + single.failed + many.failed, 0),
    });
  }
} finally {
  await one.stop();
  await several.stop();
}
console.log(`\n| work | 1 worker/s | ${workers} workers/s | ratio here | processor time per answer, ratio | ratio with the load aside (computed) | failed |`);
console.log("|---|---|---|---|---|---|---|");
for (const row of results)
  console.log(
    `| ${Object.values(row)
      .map((value) => value ?? "")
      .join(" | ")} |`,
  );
if (process.env.BENCH_JSON !== undefined)
  writeFileSync(process.env.BENCH_JSON, `${JSON.stringify({ workers, cores: availableParallelism(), results }, null, 2)}\n`);
