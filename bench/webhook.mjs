// npm run bench:webhook — the webhook flow (parse JSON, log the body, answer `ok`) against bare node:http doing the same
// work. Server on core 0, load on core 1, A/B/A/B in one run; only the ratio means anything on a shared machine.
import { load, loadTool } from "./lib/load.mjs";
import { cpuMicros, put, startBare, startSluice } from "./lib/processes.mjs";

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const body = JSON.stringify({
  id: "A-1001",
  type: "order.created",
  at: "2026-11-14T09:30:00Z",
  customer: { name: "Ada Lovelace", vip: true },
  lines: [{ sku: "KB-1", qty: 2, price: 49.9 }],
  note: "deliver to the back door, please ring",
});
const yaml = `- route:
    id: hook
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - log: "\${body}"
        - setBody: {constant: ok}
`;

const sluice = await startSluice();
const bare = await startBare("webhook");
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** One round against one server: answers per second as clients see them, and processor time per answer, which a busy machine blurs less. */
async function round(server, seconds) {
  const before = cpuMicros(server.child.pid);
  const result = await load(`${server.baseUrl}/api/hook`, body, { seconds });
  const used = cpuMicros(server.child.pid);
  return { ...result, cpu: before === undefined || used === undefined ? Number.NaN : (used - before) / (result.perSecond * seconds) };
}

try {
  await put(sluice.baseUrl, "hook", yaml);
  await round(sluice, 2);
  await round(bare, 2);
  const rows = [];
  console.log(`load: ${loadTool()}, ${rounds} rounds of ${seconds} s each, 32 connections`);
  for (let number = 1; number <= rounds; number++) {
    const limit = await round(bare, seconds);
    const ours = await round(sluice, seconds);
    rows.push({ ratio: ours.perSecond / limit.perSecond, cpu: limit.cpu / ours.cpu, p99: ours.p99Ms / limit.p99Ms, failed: ours.failed });
    const shown = (name, { perSecond, p99Ms, cpu }) => `${name} ${perSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(1)} ms, ${cpu.toFixed(1)} µs of processor each`;
    console.log(
      `round ${number}: ${shown("bare", limit)}; ${shown("sluice", ours)}; ratio ${rows.at(-1).ratio.toFixed(2)} by rate, ${rows.at(-1).cpu.toFixed(2)} by processor time; failed ${ours.failed}`,
    );
  }
  const ratios = rows.map(({ ratio }) => ratio);
  console.log(
    JSON.stringify({
      bench: "webhook",
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      byProcessorTime: median(rows.map(({ cpu }) => cpu)),
      p99: median(rows.map(({ p99 }) => p99)),
      failed: rows.reduce((sum, { failed }) => sum + failed, 0),
    }),
  );
} finally {
  await sluice.stop();
  await bare.stop();
}
