// npm run bench:connectors — throughput of a route with three steps against real servers, compared with the bare client library in the same run. A sink
// has ten sends in flight. A source reads messages that are already queued, and is measured from the first message to the last; the bare client acknowledges
// each message, the route may acknowledge several with one frame. Each message is 1 KB of text, which both sides encode or decode. Both sides wait for the
// same confirmations, with the same window and on sockets with the same options.
import { serverFor } from "@sluice/testkit";
import { median } from "./lib/figures.mjs";
import { brokers } from "./lib/connectors/brokers.mjs";
import { databases } from "./lib/connectors/databases.mjs";
import { cpuMicros, putDocument, startSluice, token } from "./lib/processes.mjs";
import { endUnavailable, printResult } from "./lib/result.mjs";
import { printTable } from "./lib/table.mjs";
import { argumentsOf, readNumbers } from "./lib/usage.mjs";

const connectorCases = { ...databases, ...brokers };
const families = Object.keys(connectorCases);
const { selected, rounds, share } = argumentsOf("connectors", {
  usage: `[rounds] (default 5) [share of the messages] (default 1) [${families.join(" ")}]`,
  short: ["1", "0.05"],
  read: readArguments,
});

function readArguments(values) {
  const numbers = readNumbers(
    values.filter((value) => !families.includes(value)),
    [
      { name: "rounds", usual: 5 },
      { name: "share", usual: 1, min: 0.01 },
    ],
  );
  return numbers && { selected: values.filter((value) => families.includes(value)), rounds: numbers[0], share: numbers[1] };
}

const inFlight = 10;
const warmUps = Math.min(3, rounds);
/** A source with so many messages more than usual that it still ends too soon to be measured is not measured. */
const mostTimes = 32;
const firstPollMs = 2;
const pollMs = 100;
/** The runtime reports times in milliseconds. */
const minMs = 20;
const timeoutMs = 120_000;

/** Rate and CPU time per message of the bare client, in this process. */
async function measureBare(work) {
  let cpu = process.cpuUsage();
  let startTime = performance.now();
  /** Called at the first message of a source; the time before it is spent connecting. */
  const onFirst = () => {
    cpu = process.cpuUsage();
    startTime = performance.now();
  };
  const count = await work(onFirst);
  const seconds = (performance.now() - startTime) / 1_000;
  const used = process.cpuUsage(cpu);
  return { rate: count / seconds, micros: (used.user + used.system) / count };
}

async function bareSink({ count, send }) {
  return measureBare(async () => {
    let next = 0;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (next < count) await send(next++);
      }),
    );
    return count;
  });
}

async function api(sluice, method, path) {
  const response = await fetch(`${sluice.baseUrl}/_api/${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function measureSluice(sluice, count, work) {
  const cpu = cpuMicros(sluice.child.pid);
  const startTime = performance.now();
  await work();
  const seconds = (performance.now() - startTime) / 1_000;
  return { rate: count / seconds, micros: (cpuMicros(sluice.child.pid) - cpu) / count };
}

/**
 * Deploys the route of a sink. One request contains the numbers of the messages, which are sent ten at a time. With `list`, each part sends this list, which
 * is in the request once: parsing it for every part would be work that the bare client does not have.
 */
async function deploySink(sluice, { name, count, to, steps, list }) {
  const listProperty = `{setProperty: {name: list, simple: "\${body[list]}"}}`;
  const flow = `- route: {id: ${name}, from: {uri: webhook, steps: [{unmarshal: {json: {}}}, ${listProperty}, {split: {simple: "\${body[parts]}", parallelProcessing: true, steps: [${steps}, {to: {uri: ${JSON.stringify(to)}}}]}}, {setBody: {constant: done}}]}}`;
  await putDocument(sluice.baseUrl, `flows/${name}`, { yaml: flow });
  const body = JSON.stringify({ list: list ?? [], parts: Array.from({ length: count / (list?.length ?? 1) }, (_, index) => index) });
  const call = async () => {
    const response = await fetch(`${sluice.baseUrl}/api/${name}`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    if (text !== "done") throw new Error(`${name}: ${response.status} ${text}`);
  };
  return () => measureSluice(sluice, count, call);
}

async function sluiceSource(sluice, { name, count, from }) {
  const flow = `- route: {id: ${name}, from: {uri: ${JSON.stringify(from)}, steps: [{setHeader: {name: seen, constant: "yes"}}, {convertBodyTo: {type: String}}, {setProperty: {name: done, constant: "yes"}}]}}`;
  const until = performance.now() + timeoutMs;
  /**
   * The number of messages and the time when the last one ended, as measured by the runtime. It is queried rarely, because each query costs
   * CPU time of the runtime.
   */
  const waitForMessages = async (minimum) => {
    for (;;) {
      const { total = 0, lastRunAt } = (await api(sluice, "GET", "health")).routes.find(({ id }) => id === name) ?? {};
      if (total >= minimum) return { total, at: Date.parse(lastRunAt), cpu: cpuMicros(sluice.child.pid) };
      if (performance.now() > until) throw new Error(`${name}: ${total} of ${count} messages within ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, minimum === 1 ? firstPollMs : pollMs));
    }
  };
  // The reply to the deployment may come after thousands of messages.
  const [, first] = await Promise.all([putDocument(sluice.baseUrl, `flows/${name}`, { yaml: flow }), waitForMessages(1)]);
  const last = await waitForMessages(count);
  await api(sluice, "DELETE", `flows/${name}`);
  const measured = count - first.total;
  const tookMs = last.at - first.at;
  // Too many messages were processed before the first query.
  if (measured < count / 4 || tookMs < minMs) return undefined;
  return { rate: (measured * 1_000) / tookMs, micros: (last.cpu - first.cpu) / measured };
}

/** Returns a function that prepares the measurements of one round on both sides. A sink's route is deployed once and, like the bare client, sends the messages of all rounds. */
async function roundsOf(sluice, benchCase, prefix, count) {
  const firstCase = await benchCase.round(`${prefix}0`, count);
  if (firstCase.fill === undefined) {
    const measureRoute = await deploySink(sluice, { name: `${prefix}0`, count, ...firstCase });
    return async () => ({ bare: () => bareSink({ count, ...firstCase }), sluice: measureRoute });
  }
  return async (round) => {
    const name = `${prefix}${round}`;
    const { fill, consume, ...source } = await benchCase.round(name, count);
    return { fill, bare: () => measureBare(consume), sluice: () => sluiceSource(sluice, { name, count, ...source }) };
  };
}

/** The number of messages is doubled until the first query of the runtime comes before most of them were processed. */
async function measureCase(sluice, benchCase, title) {
  const usual = Math.max(1_000, Math.round((benchCase.count * share) / 500) * 500);
  for (let times = 1; times <= mostTimes; times *= 2) {
    const results = await measureRounds(sluice, benchCase, `b${process.pid}${title.replaceAll(/\W/g, "")}${times}r`, usual * times);
    if (results !== undefined) return summarize(results);
  }
  return undefined;
}

/** Undefined as soon as a source processed its messages too fast to be measured. */
async function measureRounds(sluice, benchCase, prefix, count) {
  const results = [];
  const startRound = await roundsOf(sluice, benchCase, prefix, count);
  // Rounds up to 0 are warm-up: otherwise compiling the route's code would be a large part of the measured time.
  for (let round = 1 - warmUps; round <= rounds; round++) {
    const { fill, ...measure } = await startRound(round + warmUps);
    const rates = {};
    // The side that goes first alternates, because the tables and logs of the servers grow.
    for (const side of round % 2 === 0 ? ["bare", "sluice"] : ["sluice", "bare"]) {
      await fill?.(side);
      rates[side] = await measure[side]();
    }
    const { bare, sluice: ours } = rates;
    if (ours === undefined) return undefined;
    if (round > 0) results.push({ share: ours.rate / bare.rate, cost: ours.micros / bare.micros, bare, ours });
  }
  return results;
}

function summarize(results) {
  const medianOf = (pick) => median(results.map(pick));
  return {
    share: medianOf(({ share }) => share),
    cost: medianOf(({ cost }) => cost),
    rate: medianOf(({ ours }) => ours.rate),
    bareRate: medianOf(({ bare }) => bare.rate),
    micros: medianOf(({ ours }) => ours.micros),
    bareMicros: medianOf(({ bare }) => bare.micros),
  };
}

const figures = {};
for (const family of selected.length === 0 ? families : selected) {
  const { server: serverName, connection, open } = connectorCases[family];
  // With `isDurable`, Mosquitto would write all queued messages to a file after each one.
  const server = await serverFor(serverName, { own: true, isDurable: false });
  // The reason was printed.
  if (server === undefined) continue;
  const opened = await open(server.port);
  // A new runtime, so that the figures of a family do not depend on the families measured before.
  const sluice = await startSluice({}, { cores: "0,1" });
  try {
    await putDocument(sluice.baseUrl, `connections/${family}`, connection(server.port));
    for (const [title, benchCase] of Object.entries(opened.cases)) {
      const result = await measureCase(sluice, benchCase, `${family} ${title}`);
      if (result === undefined) {
        console.log(`${`${family} ${title}`.padEnd(24)} not measured: the messages were processed before the first query`);
        continue;
      }
      figures[`${family} ${title}`] = result;
      console.log(
        `${`${family} ${title}`.padEnd(24)} ${result.rate.toFixed(0)}/s vs. ${result.bareRate.toFixed(0)}/s, ${result.micros.toFixed(0)} µs vs. ${result.bareMicros.toFixed(0)} µs`,
      );
    }
  } finally {
    await sluice.stop();
    await opened.close();
    await server.end();
  }
}
if (Object.keys(figures).length === 0) endUnavailable("This benchmark needs servers such as redis-server.");
console.log();
printTable(
  ["", "rate / bare rate", "CPU time / bare CPU time"],
  Object.entries(figures).map(([title, { share, cost }]) => [title, share.toFixed(2), cost.toFixed(2)]),
);
printResult("connectors", { ...Object.fromEntries(Object.entries(figures).map(([title, { share, cost }]) => [title, { share, cost }])) });
process.exit(0);
