// npm run bench:many-flows — starts with 10, 1,000 and 10,000 flows of one webhook each: time to ready, memory per flow, and the latency of a PUT and
// of a webhook call, compared with those at 10 flows in the same run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { median } from "./lib/figures.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { put, startSluice, token } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { argumentsOf } from "./lib/usage.mjs";
import { webhook } from "./lib/workloads.mjs";

const sizes = argumentsOf("many-flows", {
  usage: "[numbers of flows] (default 10 1000 10000)",
  short: ["10", "300"],
  read: (values) => (values.every((value) => Number(value) >= 1) ? (values.length > 0 ? values : [10, 1_000, 10_000]).map(Number) : undefined),
});
const flowOf = (index) => webhook.flow.replace("id: hook", `id: f${index}`);
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}` };

async function measureMs(work) {
  const startTime = performance.now();
  await work();
  return performance.now() - startTime;
}

async function repeat(times, work) {
  const durations = [];
  for (let count = 0; count < times; count++) durations.push(await measureMs(() => work(count)));
  return median(durations);
}

/** Reads a response of megabytes without decoding it, which would cost time in this process. */
function readAndDiscard(url) {
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { headers, agent }, (incoming) => {
      if (incoming.statusCode !== 200) reject(new Error(`GET ${url}: ${incoming.statusCode}`));
      incoming.resume().once("end", resolve).once("error", reject);
    });
    outgoing.once("error", reject);
  });
}

/** Resident memory of a process in bytes; NaN where it is not available. */
function residentOf(pid) {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) * 1024 : Number.NaN;
}

async function measure(flows) {
  const data = temporaryFolder("many");
  mkdirSync(join(data, "routes"));
  for (let index = 0; index < flows; index++) writeFileSync(join(data, "routes", `f${index}.yaml`), flowOf(index));
  const startTime = performance.now();
  const server = await startSluice({ SERVICE_DATA_DIR: data });
  const readyMs = performance.now() - startTime;
  try {
    const { baseUrl } = server;
    const call = (path, options) => fetch(`${baseUrl}${path}`, options).then((response) => response.text());
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: webhook.body };
    for (let count = 0; count < 300; count++) await call(`/api/f${count % flows}`, post);
    const putMs = await repeat(40, (count) => put(baseUrl, `f${count % flows}`, `${flowOf(count % flows)}# ${count} ${Math.random()}\n`));
    const callMs = await repeat(400, (count) => call(`/api/f${(count * 7919) % flows}`, post));
    const listMs = await repeat(5, () => readAndDiscard(`${baseUrl}/_api/flows`));
    const healthMs = await repeat(5, () => readAndDiscard(`${baseUrl}/_api/health`));
    return { flows, readyMs, putMs, callMs, listMs, healthMs, residentBytes: residentOf(server.child.pid) };
  } finally {
    agent.destroy();
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

const rows = [];
for (const size of sizes) {
  const row = await measure(size);
  rows.push(row);
  console.log(
    `${row.flows} flows: ready in ${row.readyMs.toFixed(0)} ms, PUT ${row.putMs.toFixed(1)} ms, call ${row.callMs.toFixed(2)} ms, list ${row.listMs.toFixed(0)} ms, health ${row.healthMs.toFixed(0)} ms, ${(row.residentBytes / 1e6).toFixed(0)} MB resident`,
  );
}
const [smallest, largest] = [rows[0], rows.at(-1)];
printResult("many-flows", {
  rows,
  putRatio: largest.putMs / smallest.putMs,
  callRatio: largest.callMs / smallest.callMs,
  residentBytesPerFlow: largest.flows === smallest.flows ? undefined : (largest.residentBytes - smallest.residentBytes) / (largest.flows - smallest.flows),
});
