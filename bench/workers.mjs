// npm run bench:workers — the gain from a second worker: the same webhook served by one process and by two workers, alternating. The load generator
// needs its own core. If there is none, it writes requests while the service is suspended and sleeps while they are processed (lib/bursts.mjs). As a
// reference for the machine: one bare server and a cluster of two.
import { availableParallelism } from "node:os";
import { BurstCaller, burstMs } from "./lib/bursts.mjs";
import { median } from "./lib/compare.mjs";
import { load, loadTool } from "./lib/load.mjs";
import { postMessage } from "./lib/paired.mjs";
import { put, putDocument, startBare, startSluice } from "./lib/processes.mjs";
import { watchSteal } from "./lib/steal.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { router, webhook } from "./lib/workloads.mjs";

const [rounds, seconds] = numbersOf("workers", ["rounds", 4], ["seconds per round", 1]);
const workers = 2;
const cores = availableParallelism();
const hasSpareCore = cores > workers;
const allCores = `0-${cores - 1}`;
/** With a spare core, core 1 is reserved for the load generator. */
const serviceCores = hasSpareCore ? ["0", ...Array.from({ length: cores - 2 }, (_, index) => String(index + 2))].join() : allCores;
const placement = { cores: serviceCores, isGroup: true };
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

/** Two servers called alternately: one process and several. */
class Pair {
  #servers;
  #path;
  #body;

  constructor(servers, path, body) {
    this.#servers = servers;
    this.#path = path;
    this.#body = body;
  }

  /** Medians of the rates, and of the ratios between adjacent turns. */
  async compare() {
    const callers = await Promise.all(this.#servers.map((server) => (hasSpareCore ? this.#loader(server) : this.#burster(server))));
    // Each worker must be warmed up separately.
    for (let round = 0; round < 3; round++) for (const caller of callers) await caller.turn();
    const pairs = [];
    for (let repeats = rounds; pairs.length < rounds;) {
      const wasDisturbed = watchSteal();
      const rates = await this.#measureRound(callers, pairs.length % 2 === 1);
      if (!wasDisturbed() || repeats-- <= 0) pairs.push(rates);
    }
    for (const caller of callers) caller.close();
    const ratios = pairs.map(([one, several]) => several / one);
    return {
      one: Math.round(median(pairs.map(([one]) => one))),
      several: Math.round(median(pairs.map(([, several]) => several))),
      ratio: Number(median(ratios).toFixed(2)),
      min: Number(Math.min(...ratios).toFixed(2)),
      max: Number(Math.max(...ratios).toFixed(2)),
    };
  }

  /** A round consists of short turns, so that both see the same machine conditions; rates are means. */
  async #measureRound(callers, isReversed) {
    const turns = hasSpareCore ? 1 : Math.max(1, Math.round((seconds * 1_000) / burstMs));
    const sums = [0, 0];
    for (let turn = 0; turn < turns; turn++) for (const index of isReversed === (turn % 2 === 0) ? [1, 0] : [0, 1]) sums[index] += await callers[index].turn();
    return sums.map((sum) => sum / turns);
  }

  async #loader({ baseUrl }) {
    const turn = async () => {
      const { perSecond, failed } = await load(baseUrl + this.#path, this.#body, { seconds });
      if (failed > 0) throw new Error(`${failed} calls to ${baseUrl}${this.#path} failed`);
      return perSecond;
    };
    return { turn, close: () => undefined };
  }

  async #burster(server) {
    const message = postMessage(this.#path, this.#body);
    const caller = await BurstCaller.open(server);
    return { turn: () => caller.burst(message), close: () => caller.close() };
  }
}

async function compareBare(work) {
  const bare = [await startBare(work, 1, placement), await startBare(work, workers, placement)];
  try {
    return await new Pair(bare, "/", workloads[work].body).compare();
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
  console.log(
    hasSpareCore ? `load: ${loadTool()} on core 1, the servers on cores ${serviceCores}` : `load: bursts of ${burstMs} ms, the servers on cores ${allCores}`,
  );
  for (const [name, { body }] of Object.entries(workloads)) {
    addResult(name, await new Pair([oneProcess, severalWorkers], `/api/${name}`, body).compare());
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
console.log(JSON.stringify({ bench: "workers", workers, cores, ...results }));
