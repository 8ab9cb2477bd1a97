// npm run bench:guarded — the webhook flow as in production: callers send an API key and need a role, every run is recorded, and metrics are read
// every second. Compared with bare node:http without any of this, and with the same flow without a policy.
import { compare, report, roundsOf } from "./lib/compare.mjs";
import { assertResponse, deploy, putDocument, startBare, startSluice, token } from "./lib/processes.mjs";
import { webhook } from "./lib/workloads.mjs";

const rounds = roundsOf("guarded");
const goal = 0.8;
const headers = { "X-API-Key": "s3cr3t-42-abcdefghijklmnop" };
const policy = {
  authenticate: [
    {
      type: "apiKey",
      keys: Array.from({ length: 100 }, (_, index) => ({ id: `k${index}`, key: `s3cr3t-${index}-abcdefghijklmnop`, roles: ["orders.write"] })),
    },
  ],
  rules: [{ routes: ["hook"], methods: ["POST"], roles: ["orders.write"] }],
};

const getApi = (path) => fetch(`${guarded.baseUrl}/_api/${path}`, { headers: { authorization: `Bearer ${token}` } });

async function scrape(seconds) {
  for (let left = seconds; left > 0; left--) {
    const text = await getApi("metrics").then((response) => response.text());
    if (!text.includes("# TYPE")) throw new Error(`unexpected metrics: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 900 * Math.min(1, left)));
  }
}

const bare = await startBare("webhook");
const plain = await startSluice();
const guarded = await startSluice();
try {
  for (const { baseUrl } of [plain, guarded]) await deploy(baseUrl, webhook);
  await putDocument(guarded.baseUrl, "auth/hook", policy);
  const sides = [
    { name: "bare", server: bare },
    { name: "plain", server: plain },
    { name: "guarded", server: guarded, meanwhile: scrape },
  ].map((side) => ({ ...side, path: "/api/hook", body: webhook.body, headers }));
  for (const { server, path, body } of sides) await assertResponse(server.baseUrl, path, body, webhook.response, headers);
  const { status } = await fetch(`${guarded.baseUrl}/api/hook`, { method: "POST", body: webhook.body });
  if (status !== 401) throw new Error(`a call without a key got ${status}`);
  const results = await compare(sides, rounds);
  const { runs } = await getApi("runs?routeId=hook&limit=5").then((response) => response.json());
  if (runs?.length !== 5) throw new Error("the history has no runs");
  console.log(`guarded: ${results.guarded.ratio.toFixed(2)} of bare node:http by rate (goal: ${goal})`);
  report("guarded", results);
} finally {
  await guarded.stop();
  await plain.stop();
  await bare.stop();
}
