// npm run bench:versions -- <folder of another build> — compares this build with another one in short alternating rounds: CPU time and wall-clock
// time per call of a webhook, a router and a durable webhook; cold start; start and call with many flows. A ratio above 1 means that this build is slower.
// Settings such as SERVICE_RUN_STORE=disk apply to this build only; with `.` as the other folder, the run shows what a setting costs.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./lib/compare.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { openSockets, postMessage, sendAll, threadMicros } from "./lib/paired.mjs";
import { deploy, put, start, token } from "./lib/processes.mjs";
import { printTable } from "./lib/table.mjs";
import { endWithUsage } from "./lib/usage.mjs";
import { router, webhook } from "./lib/workloads.mjs";

const [otherFolder, ...options] = process.argv.slice(2);
const names = options.filter((option) => !option.includes("="));
const settingsOfThisBuild = Object.fromEntries(options.filter((option) => option.includes("=")).map((option) => option.split("=")));
const thisFolder = fileURLToPath(new URL("..", import.meta.url));
const command = "packages/cli/bin/sluice.cjs";
const calls = 2_000;
const rounds = 60;
const starts = 15;
const flows = 1_000;

const durable = {
  flow: '- route: {id: hook, from: {uri: "webhook?durable=true", steps: [{setProperty: {name: seen, constant: "yes"}}]}}\n',
  body: webhook.body,
};
const workloads = { webhook, router, durable };
const all = [...Object.keys(workloads), "cold-start", "many-flows"];
if (otherFolder === undefined || !existsSync(join(otherFolder, command)) || names.some((name) => !all.includes(name)))
  endWithUsage("versions", `<folder of another build> [${all.join(" ")}] [SETTING=value …]`);
const isSelected = (name) => names.length === 0 || names.includes(name);
const builds = [resolve(otherFolder), thisFolder];

async function startBuild(side, data) {
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: token, ...(side === 1 ? settingsOfThisBuild : {}) };
  return start([process.execPath, join(builds[side], command), "run"], settings);
}

/** A durable webhook responds with 202. */
const failureOf = (chunk) => (chunk.toString("latin1", 9, 10) === "2" ? undefined : new Error(`a call failed: ${chunk.toString("latin1", 0, 300)}`));

/** The median of the ratios of adjacent rounds, with its 95% confidence interval. */
function ratioOf(pairs) {
  const ratios = pairs.map(([other, current]) => current / other).toSorted((a, b) => a - b);
  const margin = 0.98 / Math.sqrt(ratios.length);
  const at = (fraction) => ratios[Math.min(ratios.length - 1, Math.max(0, Math.floor(ratios.length * fraction)))].toFixed(3);
  return `${at(0.5)} [${at(0.5 - margin)}, ${at(0.5 + margin)}]`;
}

/** A row of the table: the medians of both builds and their ratio. */
const row = (name, unit, pairs) => [name, ...[0, 1].map((side) => `${median(pairs.map((pair) => pair[side])).toFixed(1)} ${unit}`), ratioOf(pairs)];

/** Runs `measure` for both builds, alternating which one is first. */
async function alternate(count, measure) {
  const results = [];
  for (let round = 0; round < count; round++) {
    const pair = [];
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) pair[side] = await measure(side);
    results.push(pair);
  }
  return results;
}

async function compareCalls(name, work) {
  const folders = builds.map(() => temporaryFolder("data"));
  const servers = [];
  for (const side of builds.keys()) servers.push(await startBuild(side, folders[side]));
  const sockets = [];
  for (const { baseUrl } of servers) {
    await deploy(baseUrl, work);
    sockets.push(await openSockets(baseUrl, 32));
  }
  const message = postMessage("/api/hook", work.body, {});
  const round = async (side) => {
    const { pid } = servers[side].child;
    const cpu = threadMicros(pid);
    const startTime = performance.now();
    await sendAll(sockets[side], message, calls, failureOf);
    return { micros: ((performance.now() - startTime) * 1_000) / calls, cpu: (threadMicros(pid) - cpu) / calls };
  };
  await alternate(10, round);
  const results = await alternate(rounds, round);
  for (const list of sockets) for (const socket of list) socket.destroy();
  for (const server of servers) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const pick = (field) => results.map((pair) => pair.map((result) => result[field]));
  return [row(`${name}, CPU per call`, "µs", pick("cpu")), row(`${name}, time per call`, "µs", pick("micros"))];
}

/** Milliseconds from the spawn to the first response of a webhook that was put after the start. */
async function coldStart(side) {
  const data = temporaryFolder("data");
  const startTime = performance.now();
  const server = await startBuild(side, data);
  await put(server.baseUrl, "hook", "- route: {id: hook, from: {uri: webhook, steps: [{setBody: {constant: ok}}]}}\n");
  await fetch(`${server.baseUrl}/api/hook`, { method: "POST", body: "{}" }).then((response) => response.text());
  const durationMs = performance.now() - startTime;
  await server.stop();
  rmSync(data, { recursive: true, force: true });
  return durationMs;
}

async function manyFlows(side) {
  const data = temporaryFolder("many");
  mkdirSync(join(data, "routes"));
  for (let index = 0; index < flows; index++) writeFileSync(join(data, "routes", `f${index}.yaml`), webhook.flow.replace("id: hook", `id: f${index}`));
  const startTime = performance.now();
  const server = await startBuild(side, data);
  const ready = performance.now() - startTime;
  const [socket] = await openSockets(server.baseUrl, 1);
  const messages = Array.from({ length: flows }, (_, index) => postMessage(`/api/f${index}`, webhook.body, {}));
  const callAll = async () => {
    for (const message of messages) {
      socket.write(message);
      await new Promise((done) => socket.once("data", done));
    }
  };
  await callAll();
  const before = performance.now();
  await callAll();
  const call = ((performance.now() - before) * 1_000) / flows;
  socket.destroy();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
  return { ready, call };
}

spawnSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" });
const rows = [];
for (const [name, work] of Object.entries(workloads)) if (isSelected(name)) rows.push(...(await compareCalls(name, work)));
if (isSelected("cold-start")) rows.push(row("cold start", "ms", await alternate(starts, coldStart)));
if (isSelected("many-flows")) {
  const results = await alternate(starts, manyFlows);
  const pick = (field) => results.map((pair) => pair.map((result) => result[field]));
  rows.push(row(`${flows} flows, start`, "ms", pick("ready")), row(`${flows} flows, call`, "µs", pick("call")));
}
printTable(["", "other", "this", "this / other [95%]"], rows);
