// npm run bench:soak — concurrent traffic, deployments, invalid requests and disconnecting clients. Afterwards the counts must match: every call had
// one response, every run had a call, and all queued messages arrived.
import { audit, readCounts } from "./lib/soak/counts.mjs";
import { flowId, soakFlow, soakRoutes } from "./lib/soak/soak-flow.mjs";
import { createCaller, drive, Tally } from "./lib/soak/traffic.mjs";
import { put, startSluice, token } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [seconds, clients, deployEveryMs, rate] = numbersOf(
  "soak",
  { name: "seconds", usual: 30, short: 3 },
  { name: "clients", usual: 8, short: 3 },
  { name: "ms between deploys", usual: 500, short: 250 },
  { name: "calls per second, 0 for no limit", usual: 0, short: 150, min: 0 },
);
const settleMs = 120_000;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function deployRepeatedly(baseUrl, tally, signal) {
  for (let version = 1; !signal.aborted || version === 1; version++) {
    await wait(deployEveryMs);
    await put(baseUrl, flowId, soakFlow(version)).then(
      () => tally.deploys++,
      (error) => tally.addError(`deploy ${version} was rejected: ${error.message}`),
    );
  }
}

/** The counts when no call is in flight, or on timeout. */
async function waitUntilSettled(baseUrl, tally, before) {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const counts = await readCounts(baseUrl);
    const isBusy = soakRoutes.some((route) => counts[route].inflight > 0) || counts.sink.completed - before.sink.completed < tally.queued;
    if (!isBusy || performance.now() > deadline) return counts;
    await wait(100);
  }
}

function createPace() {
  if (rate === 0) return async () => undefined;
  let next = performance.now();
  return async () => {
    const at = (next = Math.max(next, performance.now() - 100) + 1_000 / rate);
    if (at - performance.now() > 1) await wait(at - performance.now());
  };
}

function figures(tally, elapsedSeconds) {
  const sorted = tally.latencies.toSorted((a, b) => a - b);
  const at = (share) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return {
    seconds: Math.round(elapsedSeconds * 10) / 10,
    calls: tally.calls,
    callsPerSecond: Math.round(tally.calls / elapsedSeconds),
    deploys: tally.deploys,
    invalid: tally.invalid,
    hungUp: tally.sent["hang-up"],
    queued: tally.queued,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

const server = await startSluice({ SERVICE_LOG_LEVEL: "warn" });
try {
  const { baseUrl } = server;
  const tally = new Tally();
  await put(baseUrl, flowId, soakFlow(0));
  const before = await readCounts(baseUrl);
  const signal = AbortSignal.timeout(seconds * 1_000);
  const caller = createCaller(baseUrl);
  const pace = createPace();
  const startTime = performance.now();
  await Promise.all([deployRepeatedly(baseUrl, tally, signal), ...Array.from({ length: clients }, (_, client) => drive(caller, tally, client, signal, pace))]);
  caller.close();
  const elapsedSeconds = (performance.now() - startTime) / 1_000;
  const errors = [...tally.errors, ...audit(tally, before, await waitUntilSettled(baseUrl, tally, before))];
  const removed = await fetch(`${baseUrl}/_api/flows/${flowId}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  if (!removed.ok) errors.push(`the flow could not be removed: ${removed.status}`);
  for (const error of errors) console.log(`✗ ${error}`);
  printResult("soak", { ...figures(tally, elapsedSeconds), errors });
  process.exitCode = errors.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
