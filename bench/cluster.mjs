// npm run bench:cluster — the cost and the benefit of a cluster on NATS. (1) Messages stored through a webhook on three NATS servers, 64 in flight,
// compared with a minimal HTTP server that stores them with the bare client, and with the bare client alone; all of them wait for the same
// acknowledgement and are measured alternately. (2) Two nodes compared with one on a plain webhook: the load generator writes requests while the
// nodes are suspended (lib/bursts.mjs). (3) The time from a PUT until all three nodes run the flow.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compareBursts } from "./lib/bursts.mjs";
import { median } from "./lib/figures.mjs";
import { isAvailable, load, onCore } from "./lib/load.mjs";
import { startNats } from "./lib/nats-servers.mjs";
import { postMessage } from "./lib/paired.mjs";
import { cpuMicros, put, start, startSluice, token } from "./lib/processes.mjs";
import { endUnavailable, printResult, requireLinux } from "./lib/result.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { webhook } from "./lib/workloads.mjs";

const [rounds, seconds, changes, connections] = numbersOf(
  "cluster",
  { name: "rounds", usual: 5, short: 1 },
  { name: "seconds per measurement", usual: 2, short: 0.3, min: 0.1 },
  { name: "changes", usual: 200, short: 10 },
  { name: "connections", usual: 6_000, short: 1_000 },
);
requireLinux();
if (!isAvailable("nats-server")) endUnavailable("This benchmark needs nats-server.");
const messageBytes = 1_000;
const window = 64;
const storingServer = fileURLToPath(new URL("lib/bare-storing-server.mjs", import.meta.url));
const barePublisher = fileURLToPath(new URL("lib/bare-publisher.mjs", import.meta.url));
const storeFlow = `- route: {id: store, from: {uri: webhook, steps: [{to: "queue:stored"}]}}\n`;
// One message runs for longer than the benchmark; the others stay in the queue.
const waitFlow = `- route: {id: wait, from: {uri: "webhook?durable=true&concurrentConsumers=1", steps: [{delay: {constant: 600000}}]}}\n`;
const runFlow = `- route: {id: run, from: {uri: "webhook?durable=true&concurrentConsumers=32", steps: [{setBody: {constant: ok}}]}}\n`;
const quantile = (values, fraction) => values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)];

const startNode = (servers, replicas, name, placement) =>
  startSluice(
    {
      SERVICE_CLUSTER: `nats://${servers}/bench`,
      SERVICE_CLUSTER_REPLICAS: String(replicas),
      SERVICE_NODE: name,
      SERVICE_QUEUE_BYTES: "4GB",
      SERVICE_DRAIN_MS: "1s",
    },
    placement,
  );

function publishBare(servers) {
  const [command, ...parameters] = onCore(0, [process.execPath, barePublisher, servers, String(seconds), String(messageBytes)]);
  return new Promise((resolve, reject) =>
    execFile(command, parameters, (error, stdout) => (error === null ? resolve(JSON.parse(stdout).perSecond) : reject(error))),
  );
}

/** Total CPU time of these processes, in microseconds. */
const cpuOf = (pids) => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0);

/**
 * Messages per second, and the CPU time of the process and of the store for each. `raw`: the bare client alone. `http`: a minimal HTTP server with the
 * bare client. `accepted`: a durable webhook whose messages wait in the queue. `stored`: a webhook that sends to a queue. `ran`: a durable webhook whose
 * messages run on the same node.
 */
async function measurePublishing() {
  const nats = await startNats(3);
  const node = await startNode(nats.servers, 3, "n1");
  const bare = await start([process.execPath, storingServer, nats.servers]);
  const body = "x".repeat(messageBytes);
  const measureCalls = async ({ baseUrl, child }, path) => {
    const pids = [child.pid, ...nats.pids];
    const before = cpuOf(pids);
    const { perSecond, failed } = await load(`${baseUrl}/api/${path}`, body, { seconds, connections: window });
    if (failed > 0) throw new Error(`${failed} calls of /api/${path} failed`);
    return { perSecond, cpu: (cpuOf(pids) - before) / (perSecond * seconds) };
  };
  const sides = {
    raw: async () => ({ perSecond: await publishBare(nats.servers) }),
    http: () => measureCalls(bare, ""),
    accepted: () => measureCalls(node, "wait"),
    stored: () => measureCalls(node, "store"),
    ran: () => measureCalls(node, "run"),
  };
  try {
    for (const [id, flow] of Object.entries({ wait: waitFlow, store: storeFlow, run: runFlow })) await put(node.baseUrl, id, flow);
    for (const side of ["http", "accepted", "stored", "ran"]) await sides[side]();
    const rows = [];
    for (let round = 0; round < rounds; round++) {
      const row = {};
      for (const [name, measure] of Object.entries(sides)) row[name] = await measure();
      rows.push(row);
      const texts = Object.entries(row).map(
        ([name, { perSecond, cpu }]) => `${name} ${perSecond.toFixed(0)}/s${cpu === undefined ? "" : ` ${cpu.toFixed(0)} µs`}`,
      );
      console.log(`round ${round + 1}: ${texts.join(", ")}`);
    }
    const rate = (name) => median(rows.map((row) => row[name].perSecond));
    const ratio = (name, reference) => median(rows.map((row) => row[name].perSecond / row[reference].perSecond));
    const byCpu = (name) => (name === "raw" ? undefined : median(rows.map((row) => row.http.cpu / row[name].cpu)));
    return Object.fromEntries(
      Object.keys(sides).map((name) => [name, { perSecond: rate(name), toHttp: ratio(name, "http"), toRaw: ratio(name, "raw"), byCpu: byCpu(name) }]),
    );
  } finally {
    await Promise.all([node.stop(), bare.stop()]);
    nats.end();
  }
}

/** Replies per second of one node and of two. */
async function measureScaling() {
  const nats = await startNats(1);
  const placement = { cores: "0-1", isGroup: true };
  const nodes = [await startNode(nats.servers, 1, "n1", placement), await startNode(nats.servers, 1, "n2", placement)];
  try {
    await put(nodes[0].baseUrl, "hook", webhook.flow);
    const pairs = await compareBursts([[nodes[0]], nodes], postMessage("/api/hook", webhook.body), { rounds, seconds: seconds / 2, connections });
    return { one: median(pairs.map(([one]) => one)), two: median(pairs.map(([, two]) => two)), ratio: median(pairs.map(([one, two]) => two / one)) };
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    nats.end();
  }
}

/** p50 and p99 of a PUT in milliseconds; its reply waits until all nodes run the flow. */
async function measureChanges() {
  const nats = await startNats(3);
  const nodes = [];
  for (const name of ["n1", "n2", "n3"]) nodes.push(await startNode(nats.servers, 3, name, { cores: "0-1" }));
  try {
    const durations = [];
    for (let change = -Math.min(10, changes); change < changes; change++) {
      const startTime = performance.now();
      const response = await fetch(`${nodes[(change + 12) % 3].baseUrl}/_api/flows/hook`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ yaml: `- route: {id: hook, from: {uri: webhook, steps: [{setBody: {constant: v${change}}}]}}\n` }),
      });
      const { cluster } = await response.json();
      if (!response.ok || cluster.running !== 3) throw new Error(`PUT ${change}: ${response.status} ${JSON.stringify(cluster)}`);
      if (change >= 0) durations.push(performance.now() - startTime);
    }
    return { p50: quantile(durations, 0.5), p99: quantile(durations, 0.99) };
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    nats.end();
  }
}

const published = await measurePublishing();
const scaled = await measureScaling();
const changed = await measureChanges();
const publishedRow = (title, { perSecond, toHttp, byCpu, toRaw }) => [
  title,
  published.http.perSecond.toFixed(0),
  perSecond.toFixed(0),
  toHttp.toFixed(2),
  byCpu.toFixed(2),
  toRaw.toFixed(2),
];
printTable(
  [`messages of ${messageBytes} bytes per second, ${window} in flight`, "bare HTTP server", "cluster", "ratio", "by CPU time", "ratio to bare client"],
  [
    publishedRow("accepted by a durable webhook", published.accepted),
    publishedRow("stored by a webhook that sends to a queue", published.stored),
    publishedRow("accepted by a durable webhook and run by the node", published.ran),
    ["bare client without HTTP", published.http.perSecond.toFixed(0), published.raw.perSecond.toFixed(0), published.raw.toHttp.toFixed(2), "", ""],
  ],
);
printTable(
  ["measure", "reference", "cluster", "ratio"],
  [
    ["replies per second of a plain webhook, one node and two", scaled.one.toFixed(0), scaled.two.toFixed(0), scaled.ratio.toFixed(2)],
    ["PUT until all three nodes run it, ms p50 and p99", "", `${changed.p50.toFixed(0)} and ${changed.p99.toFixed(0)}`, ""],
  ],
);
printResult("cluster", { published, scaled, changed });
