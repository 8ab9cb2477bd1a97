// npm run bench:webhook — the webhook flow (parse JSON, log the body, answer `ok`) against bare node:http doing the same
// work. Server on core 0, load on core 1, A/B/A/B in one run; only the ratio means anything on a shared machine.
import { load, loadTool } from "./lib/load.mjs";
import { put, startBare, startSluice } from "./lib/processes.mjs";

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const body = JSON.stringify({ id: "A-1001", type: "order.created", at: "2026-11-14T09:30:00Z", customer: { name: "Ada Lovelace", vip: true }, lines: [{ sku: "KB-1", qty: 2, price: 49.9 }], note: "deliver to the back door, please ring" });
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
try {
  await put(sluice.baseUrl, "hook", yaml);
  await load(`${sluice.baseUrl}/api/hook`, body, { seconds: 2 });
  await load(`${bare.baseUrl}/api/hook`, body, { seconds: 2 });
  const ratios = [];
  console.log(`load: ${loadTool()}, ${rounds} rounds of ${seconds} s each, 32 connections`);
  for (let round = 1; round <= rounds; round++) {
    const limit = await load(`${bare.baseUrl}/api/hook`, body, { seconds });
    const ours = await load(`${sluice.baseUrl}/api/hook`, body, { seconds });
    ratios.push({ ratio: ours.perSecond / limit.perSecond, p99: ours.p99Ms / limit.p99Ms, failed: ours.failed });
    console.log(`round ${round}: bare ${limit.perSecond.toFixed(0)}/s p99 ${limit.p99Ms.toFixed(1)} ms, sluice ${ours.perSecond.toFixed(0)}/s p99 ${ours.p99Ms.toFixed(1)} ms, ratio ${(ours.perSecond / limit.perSecond).toFixed(2)}, failed ${ours.failed}`);
  }
  const sorted = ratios.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
  console.log(JSON.stringify({ bench: "webhook", median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1), failed: ratios.reduce((sum, { failed }) => sum + failed, 0) }));
} finally {
  await sluice.stop();
  await bare.stop();
}
