// npm run bench:redeploy — the webhook flow under load while it is repeatedly redeployed, compared with no redeployments. Measures the cost for callers,
// and verifies that no call fails, is cut off or gets no response. Server on core 0, load on core 1.
import { compare, printRatios } from "./lib/compare.mjs";
import { median } from "./lib/figures.mjs";
import { client } from "./lib/load.mjs";
import { assertResponse, put, startSluice } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { webhook } from "./lib/workloads.mjs";

const [redeploys, rounds, seconds] = numbersOf(
  "redeploy",
  { name: "redeploys", usual: 200, short: 10 },
  { name: "rounds", usual: 10, short: 2 },
  { name: "seconds per round", usual: 2, short: 0.5, min: 0.1 },
);
const perRound = Math.ceil(redeploys / rounds);
const versionOf = (number) => webhook.flow.replace("constant: ok", `constant: v${number}`);

const sluice = await startSluice();
const verified = { answered: 0, failed: 0, mismatched: 0 };
const putMs = [];
let version = 0;

/** Makes additional calls on two connections and verifies that each response comes from exactly one version. */
async function verifyResponses(duration) {
  const { answered, failed, texts } = await client(`${sluice.baseUrl}/api/hook`, webhook.body, duration, 2, {});
  verified.answered += answered;
  verified.failed += failed;
  for (const text of texts) if (!/^v\d+$/.test(text)) verified.mismatched++;
}

/** Redeploys at even intervals during the round, one at a time. */
async function redeploy(duration) {
  const startTime = performance.now();
  for (let count = 0; count < perRound; count++) {
    const wait = startTime + ((count + 0.5) * duration * 1_000) / perRound - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const sentAt = performance.now();
    await put(sluice.baseUrl, "hook", versionOf(++version));
    putMs.push(performance.now() - sentAt);
  }
}

try {
  await put(sluice.baseUrl, "hook", versionOf(0));
  await assertResponse(sluice.baseUrl, "/api/hook", webhook.body, "v0");
  const side = { server: sluice, path: "/api/hook", body: webhook.body };
  const results = await compare(
    [
      { ...side, name: "steady", meanwhile: verifyResponses },
      { ...side, name: "redeployed", meanwhile: (duration) => Promise.all([verifyResponses(duration), redeploy(duration)]) },
    ],
    { rounds, seconds },
  );
  await assertResponse(sluice.baseUrl, "/api/hook", webhook.body, `v${version}`);
  const { failed } = results.redeployed;
  printRatios(results);
  console.log(
    `${version} redeploys, ${median(putMs).toFixed(1)} ms each: ${failed} load calls failed; of ${verified.answered} verified calls ${verified.failed} failed, ${verified.mismatched} responses matched no version`,
  );
  printResult("redeploy", { redeploys: version, putMs: median(putMs), failed: failed + verified.failed + verified.mismatched, ...results });
  if (failed + verified.failed + verified.mismatched > 0) process.exitCode = 1;
} finally {
  await sluice.stop();
}
