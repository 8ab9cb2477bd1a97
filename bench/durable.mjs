// npm run bench:durable — a durable webhook (202 once the message is on disk, then the route runs) compared with a plain loop that writes and
// flushes each message to a file. Server on core 0, load on core 1; both in one run on one disk.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "./lib/figures.mjs";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { load, loadTool } from "./lib/load.mjs";
import { cpuMicros, put, startSluice } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [rounds, seconds] = numbersOf("durable", { name: "rounds", usual: 3, short: 1 }, { name: "seconds per round", usual: 4, short: 0.5, min: 0.1 });
const body = JSON.stringify({ id: "A-1001", note: "x".repeat(950) });
const yaml = `- route:
    id: hook
    from:
      uri: "webhook?durable=true"
      steps:
        - setProperty: {name: seen, constant: "yes"}
`;

/** One message at a time, each flushed before the next: shows what batching saves. */
function flushEach(directory, milliseconds) {
  const file = openSync(join(directory, "plain.log"), "w");
  const until = performance.now() + milliseconds;
  let count = 0;
  while (performance.now() < until) {
    writeSync(file, body);
    fdatasyncSync(file);
    count++;
  }
  closeSync(file);
  return count / (milliseconds / 1000);
}

const completedRuns = async ({ baseUrl }) => {
  const { routes } = await (await fetch(`${baseUrl}/_api/health`)).json();
  return routes.find(({ id }) => id === "hook").total;
};

const sluice = await startSluice();
// In the repository, because a temporary folder may be in memory.
const folder = temporaryFolder("durable", process.cwd());
try {
  await put(sluice.baseUrl, "hook", yaml);
  await load(`${sluice.baseUrl}/api/hook`, body, { seconds, connections: 256 });
  console.log(`load: ${loadTool(seconds)}, ${rounds} rounds of ${seconds} s each, 256 connections, 1 KB messages`);
  const rows = [];
  for (let number = 1; number <= rounds; number++) {
    const plain = flushEach(folder, Math.min(1, seconds) * 1_000);
    const before = await completedRuns(sluice);
    const cpu = cpuMicros(sluice.child.pid);
    const ours = await load(`${sluice.baseUrl}/api/hook`, body, { seconds, connections: 256 });
    const accepted = ours.perSecond * seconds;
    const startTime = performance.now();
    let processed = (await completedRuns(sluice)) - before;
    while (processed < accepted * 0.999 && performance.now() - startTime < 30_000) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      processed = (await completedRuns(sluice)) - before;
    }
    const lag = (performance.now() - startTime) / 1000;
    const through = processed / (seconds + lag);
    rows.push({ accepted: ours.perSecond, through, plain, p99: ours.p99Ms, failed: ours.failed, cpu: (cpuMicros(sluice.child.pid) - cpu) / processed });
    const row = rows.at(-1);
    console.log(
      `round ${number}: accepted ${row.accepted.toFixed(0)}/s (p99 ${row.p99.toFixed(1)} ms), through the route ${row.through.toFixed(0)}/s, ${row.cpu.toFixed(0)} µs of CPU time each; plain loop ${plain.toFixed(0)}/s; failed ${row.failed}`,
    );
  }
  const medianOf = (name) => median(rows.map((row) => row[name]));
  printResult("durable", {
    accepted: medianOf("accepted"),
    through: medianOf("through"),
    plainFlush: medianOf("plain"),
    ratio: medianOf("accepted") / medianOf("plain"),
    p99: medianOf("p99"),
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  });
} finally {
  await sluice.stop();
}
