// npm run bench:cluster — what a cluster on NATS costs and adds. (1) Messages stored through a webhook on three NATS servers, compared with the bare
// client's publications with the same acknowledgement, 64 under way; alternating. (2) Two nodes compared with one on a plain webhook: the load
// generator writes requests while the nodes are suspended (lib/bursts.mjs). (3) The time of a PUT until all of three nodes run the flow.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BurstCaller, burstMs } from "./lib/bursts.mjs";
import { median } from "./lib/compare.mjs";
import { load, onCore } from "./lib/load.mjs";
import { startNats } from "./lib/nats-servers.mjs";
import { postMessage } from "./lib/paired.mjs";
import { put, startSluice, token } from "./lib/processes.mjs";
import { watchSteal } from "./lib/steal.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { webhook } from "./lib/workloads.mjs";

const [rounds, seconds, changes] = numbersOf("cluster", ["rounds", 5], ["seconds of each", 2], ["changes", 200]);
const messageBytes = 1_000;
const window = 64;
const barePublisher = fileURLToPath(new URL("lib/bare-publisher.mjs", import.meta.url));
const storing = `- route: {id: store, from: {uri: webhook, steps: [{to: "queue:stored"}]}}\n`;
const running = `- route: {id: run, from: {uri: "webhook?durable=true&concurrentConsumers=32", steps: [{setBody: {constant: ok}}]}}\n`;
const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];

const startNode = (servers, replicas, name, placement) =>
  startSluice(
    { SERVICE_CLUSTER: `nats://${servers}/bench`, SERVICE_CLUSTER_REPLICAS: String(replicas), SERVICE_NODE: name, SERVICE_QUEUE_BYTES: "4GB" },
    placement,
  );

function publishBare(servers) {
  const [command, ...parameters] = onCore(0, [process.execPath, barePublisher, servers, String(seconds), String(messageBytes)]);
  return new Promise((resolve, reject) =>
    execFile(command, parameters, (error, stdout) => (error === null ? resolve(JSON.parse(stdout).perSecond) : reject(error))),
  );
}

/** Messages per second through the webhook and with the bare client. */
async function publishing() {
  const nats = await startNats(3);
  const node = await startNode(nats.servers, 3, "n1");
  const body = "x".repeat(messageBytes);
  const through = async (path) => {
    const { perSecond, failed } = await load(`${node.baseUrl}/api/${path}`, body, { seconds, connections: window });
    if (failed > 0) throw new Error(`${failed} calls of /api/${path} failed`);
    return perSecond;
  };
  try {
    await put(node.baseUrl, "store", storing);
    await put(node.baseUrl, "run", running);
    for (const path of ["store", "run", "store"]) await through(path);
    const rows = [];
    for (let round = 0; round < rounds; round++) {
      const bare = await publishBare(nats.servers);
      rows.push({ bare, stored: await through("store"), ran: await through("run") });
      console.log(
        `round ${round + 1}: ${Object.entries(rows.at(-1))
          .map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`)
          .join(", ")}`,
      );
    }
    return {
      bare: median(rows.map(({ bare }) => bare)),
      stored: median(rows.map(({ stored }) => stored)),
      ran: median(rows.map(({ ran }) => ran)),
      ratio: median(rows.map(({ bare, stored }) => stored / bare)),
    };
  } finally {
    await node.stop();
    nats.end();
  }
}

/** Replies per second of one node and of two. */
async function scaling() {
  const nats = await startNats(1);
  const placement = { cores: "0-1", isGroup: true };
  const nodes = [await startNode(nats.servers, 1, "n1", placement), await startNode(nats.servers, 1, "n2", placement)];
  try {
    await put(nodes[0].baseUrl, "hook", webhook.flow);
    const message = postMessage("/api/hook", webhook.body);
    const callers = [await BurstCaller.open(nodes[0]), await BurstCaller.open(...nodes)];
    const turns = Math.max(1, Math.round((seconds * 1_000) / burstMs / 2));
    const round = async () => {
      const sums = [0, 0];
      for (let turn = 0; turn < turns; turn++) for (const index of turn % 2 === 0 ? [0, 1] : [1, 0]) sums[index] += await callers[index].burst(message);
      return sums.map((sum) => sum / turns);
    };
    await round();
    const pairs = [];
    for (let repeats = rounds; pairs.length < rounds;) {
      const wasDisturbed = watchSteal();
      const rates = await round();
      if (!wasDisturbed() || repeats-- <= 0) pairs.push(rates);
    }
    for (const caller of callers) caller.close();
    return { one: median(pairs.map(([one]) => one)), two: median(pairs.map(([, two]) => two)), ratio: median(pairs.map(([one, two]) => two / one)) };
  } finally {
    for (const node of nodes) await node.stop();
    nats.end();
  }
}

/** Milliseconds of a PUT, whose reply waits until all nodes run the flow. */
async function changing() {
  const nats = await startNats(3);
  const nodes = [];
  for (const name of ["n1", "n2", "n3"]) nodes.push(await startNode(nats.servers, 3, name, { cores: "0-1" }));
  try {
    const took = [];
    for (let change = -10; change < changes; change++) {
      const began = performance.now();
      const response = await fetch(`${nodes[(change + 12) % 3].baseUrl}/_api/flows/hook`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ yaml: `- route: {id: hook, from: {uri: webhook, steps: [{setBody: {constant: v${change}}}]}}\n` }),
      });
      const { cluster } = await response.json();
      if (!response.ok || cluster.running !== 3) throw new Error(`PUT ${change}: ${response.status} ${JSON.stringify(cluster)}`);
      if (change >= 0) took.push(performance.now() - began);
    }
    return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
  } finally {
    for (const node of nodes) await node.stop();
    nats.end();
  }
}

const published = await publishing();
const scaled = await scaling();
const changed = await changing();
printTable(
  ["measure", "reference", "cluster", "ratio"],
  [
    [
      `messages stored per second, ${messageBytes} bytes, ${window} under way`,
      published.bare.toFixed(0),
      published.stored.toFixed(0),
      published.ratio.toFixed(2),
    ],
    ["the same, and run by the node", published.bare.toFixed(0), published.ran.toFixed(0), (published.ran / published.bare).toFixed(2)],
    ["replies per second of a plain webhook, one node and two", scaled.one.toFixed(0), scaled.two.toFixed(0), scaled.ratio.toFixed(2)],
    ["PUT until all of three nodes run it, ms p50 and p99", "", `${changed.p50.toFixed(0)} and ${changed.p99.toFixed(0)}`, ""],
  ],
);
console.log(JSON.stringify({ bench: "cluster", published, scaled, changed }));
