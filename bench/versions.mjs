// npm run bench:versions -- <folder of another build> — compares this build with another one in short alternating rounds: CPU time and wall-clock
// time per call of a webhook, a router and a durable webhook; cold start; start and call with many flows. A ratio above 1 means that this build is slower.
// Settings such as SERVICE_RUN_STORE=disk apply to this build only; with `.` as the other folder, the run shows what a setting costs.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./lib/figures.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { openSockets, postMessage, sendAll } from "./lib/paired.mjs";
import { cpuMicros, deploy, put, start, token } from "./lib/processes.mjs";
import { printResult, requireLinux } from "./lib/result.mjs";
import { printTable } from "./lib/table.mjs";
import { argumentsOf } from "./lib/usage.mjs";
import { router, webhook } from "./lib/workloads.mjs";

const thisFolder = fileURLToPath(new URL("..", import.meta.url));
const command = "packages/cli/bin/sluice.cjs";
const durable = {
  flow: '- route: {id: hook, from: {uri: "webhook?durable=true", steps: [{setProperty: {name: seen, constant: "yes"}}]}}\n',
  body: webhook.body,
};
const workloads = { webhook, router, durable };
const all = [...Object.keys(workloads), "cold-start", "many-flows"];

/** Arguments with `=`: a setting has capital letters, an amount does not. */
function readArguments([otherFolder, ...options]) {
  const pairs = options.filter((option) => option.includes("=")).map((option) => option.split("="));
  const names = options.filter((option) => !option.includes("="));
  const isSetting = ([name]) => /^[A-Z]/.test(name);
  const amounts = { rounds: 60, calls: 2_000, starts: 15, flows: 1_000 };
  for (const [name, value] of pairs.filter((pair) => !isSetting(pair))) {
    if (amounts[name] === undefined || !(Number(value) >= 1)) return undefined;
    amounts[name] = Number(value);
  }
  if (otherFolder === undefined || !existsSync(join(otherFolder, command)) || names.some((name) => !all.includes(name))) return undefined;
  return { otherFolder, names, settingsOfThisBuild: Object.fromEntries(pairs.filter(isSetting)), ...amounts };
}

const { otherFolder, names, settingsOfThisBuild, rounds, calls, starts, flows } = argumentsOf("versions", {
  usage: `<folder of another build> [${all.join(" ")}] [rounds=60] [calls=2000] [starts=15] [flows=1000] [SETTING=value …]`,
  short: [".", "rounds=2", "calls=300", "starts=1", "flows=100"],
  read: readArguments,
});
requireLinux();
const isSelected = (name) => names.length === 0 || names.includes(name);
const builds = [resolve(otherFolder), thisFolder];

async function startBuild(side, data) {
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: token, ...(side === 1 ? settingsOfThisBuild : {}) };
  return start([process.execPath, join(builds[side], command), "run"], settings);
}

/** A durable webhook responds with 202. */
const failureOf = (chunk) => (chunk.toString("latin1", 9, 10) === "2" ? undefined : new Error(`a call failed: ${chunk.toString("latin1", 0, 300)}`));

/** The median of the ratios of adjacent rounds, with its 95% confidence interval, and the medians of both builds. */
function compareSides(pairs) {
  const ratios = pairs.map(([other, current]) => current / other).toSorted((a, b) => a - b);
  const margin = 0.98 / Math.sqrt(ratios.length);
  const at = (fraction) => ratios[Math.min(ratios.length - 1, Math.max(0, Math.floor(ratios.length * fraction)))];
  const [other, current] = [0, 1].map((side) => median(pairs.map((pair) => pair[side])));
  return { other, current, ratio: at(0.5), min: at(0.5 - margin), max: at(0.5 + margin) };
}

const figures = {};
function add(name, unit, pairs) {
  figures[name] = { unit, ...compareSides(pairs) };
}

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
    const cpu = cpuMicros(pid);
    const startTime = performance.now();
    await sendAll(sockets[side], message, calls, failureOf);
    return { micros: ((performance.now() - startTime) * 1_000) / calls, cpu: (cpuMicros(pid) - cpu) / calls };
  };
  await alternate(Math.min(10, rounds), round);
  const results = await alternate(rounds, round);
  for (const list of sockets) for (const socket of list) socket.destroy();
  for (const server of servers) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const pick = (field) => results.map((pair) => pair.map((result) => result[field]));
  add(`${name}, CPU per call`, "µs", pick("cpu"));
  add(`${name}, time per call`, "µs", pick("micros"));
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
for (const [name, work] of Object.entries(workloads)) if (isSelected(name)) await compareCalls(name, work);
if (isSelected("cold-start")) add("cold start", "ms", await alternate(starts, coldStart));
if (isSelected("many-flows")) {
  const results = await alternate(starts, manyFlows);
  const pick = (field) => results.map((pair) => pair.map((result) => result[field]));
  add(`${flows} flows, start`, "ms", pick("ready"));
  add(`${flows} flows, call`, "µs", pick("call"));
}
printTable(
  ["", "other", "this", "this / other [95%]"],
  Object.entries(figures).map(([name, { unit, other, current, ratio, min, max }]) => [
    name,
    `${other.toFixed(1)} ${unit}`,
    `${current.toFixed(1)} ${unit}`,
    `${ratio.toFixed(3)} [${min.toFixed(3)}, ${max.toFixed(3)}]`,
  ]),
);
printResult("versions", figures);
