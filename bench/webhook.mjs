// npm run bench:webhook — the webhook flow (parse JSON, log the body, answer `ok`) against bare node:http doing the same
// work. Server on core 0, load on core 1, A/B/A/B in one run; only the ratio means anything on a shared machine.
import { load, loadTool } from "./lib/load.mjs";
import { cpuMicros, put, startBare, startSluice } from "./lib/processes.mjs";
import { watchSteal } from "./lib/steal.mjs";

const rounds = Number(process.argv[2] ?? 12);
const seconds = Number(process.argv[3] ?? 1);
if (!(rounds >= 1 && seconds >= 1)) {
  console.error("usage: npm run bench:webhook -- [rounds, 12] [seconds of each, 1]");
  process.exit(2);
}
/** Above this share of stolen processor time a round is taken again, at most as often as there are rounds. */
const mostStolen = 0.03;
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
  for (const server of [bare, sluice, bare, sluice]) await round(server, 3);
  const rows = [];
  let repeats = rounds;
  console.log(`load: ${loadTool()}, ${rounds} rounds of ${seconds} s each, 32 connections`);
  for (let number = 1; number <= rounds; number++) {
    const stolen = watchSteal();
    // Whoever goes second may find a warmer or a busier machine: they take turns.
    const first = number % 2 === 0 ? await round(sluice, seconds) : undefined;
    const limit = await round(bare, seconds);
    const ours = first ?? (await round(sluice, seconds));
    if (stolen() > mostStolen && repeats-- > 0) {
      number--;
      continue;
    }
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
