// npm run bench:workers — the gain from a second worker: the same webhook served by one process and by two workers, alternating. The load generator
// writes requests while the service is suspended, and sleeps while they are processed (lib/bursts.mjs). As a reference for the machine: one bare server
// and a cluster of two.
import { availableParallelism } from "node:os";
import { compareBursts } from "./lib/bursts.mjs";
import { median } from "./lib/figures.mjs";
import { postMessage } from "./lib/paired.mjs";
import { put, putDocument, startBare, startSluice } from "./lib/processes.mjs";
import { printResult, requireLinux } from "./lib/result.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { router, webhook } from "./lib/workloads.mjs";

const [rounds, seconds, connections] = numbersOf(
  "workers",
  { name: "rounds", usual: 4, short: 1 },
  { name: "seconds per round", usual: 1, short: 0.2, min: 0.1 },
  { name: "connections", usual: 6_000, short: 1_000 },
);
requireLinux();
const workers = 2;
const cores = availableParallelism();
const placement = { cores: `0-${cores - 1}`, isGroup: true };
const withId = (work, id) => ({ ...work, flow: work.flow.replace("id: hook", `id: ${id}`) });
const workloads = {
  webhook: withId(webhook, "webhook"),
  router: withId(router, "router"),
  // A route tied to the leader: other workers forward their requests.
  tied: { body: "{}", flow: "- route: {id: tied, from: {uri: webhook, steps: [{throttle: {constant: '1000000'}}, {setBody: {constant: ok}}]}}" },
};

async function startService(count) {
  const service = await startSluice({ SERVICE_WORKERS: String(count) }, placement);
  await putDocument(service.baseUrl, "message-mappings/total", router.mapping);
  for (const [id, { flow }] of Object.entries(workloads)) await put(service.baseUrl, id, flow);
  return service;
}

/** Medians of the rates of one process and of several, and of the ratios between them. */
async function compare(servers, path, body) {
  const pairs = await compareBursts(
    servers.map((server) => [server]),
    postMessage(path, body),
    { rounds, seconds, connections },
  );
  const ratios = pairs.map(([one, several]) => several / one);
  return {
    one: Math.round(median(pairs.map(([one]) => one))),
    several: Math.round(median(pairs.map(([, several]) => several))),
    ratio: Number(median(ratios).toFixed(2)),
    min: Number(Math.min(...ratios).toFixed(2)),
    max: Number(Math.max(...ratios).toFixed(2)),
  };
}

async function compareBare(work) {
  const bare = [await startBare(work, 1, placement), await startBare(work, workers, placement)];
  try {
    return await compare(bare, "/", workloads[work].body);
  } finally {
    for (const server of bare) await server.stop();
  }
}

const results = {};
function addResult(name, figures) {
  results[name] = figures;
  console.log(`${name}: ${figures.ratio} times (${figures.min} to ${figures.max})`);
}

const oneProcess = await startService(1);
const severalWorkers = await startService(workers);
try {
  for (const [name, { body }] of Object.entries(workloads)) {
    addResult(name, await compare([oneProcess, severalWorkers], `/api/${name}`, body));
    // A tied route runs in one worker only, so the scaling of a bare server is no reference for it.
    if (name !== "tied") addResult(`${name}, bare`, await compareBare(name));
  }
} finally {
  await oneProcess.stop();
  await severalWorkers.stop();
}
printTable(
  ["work", "responses/s, 1 process", `responses/s, ${workers}`, `${workers} to 1`, "min", "max"],
  Object.entries(results).map(([name, figures]) => [name, ...Object.values(figures)]),
);
printResult("workers", { workers, cores, ...results });
