// Runs the bundle until the runtime has served a first flow, then stores the code that V8 has compiled.
const { setTimeout } = require("node:timers/promises");
const { loadBundle } = require("../packages/cli/bin/bundle.cjs");

const settleMs = 300;
const baseUrl = `http://127.0.0.1:${process.env.SERVICE_PORT}`;
const yaml = "- route: {id: first, from: {uri: webhook, steps: [{log: '${body}'}, {setBody: {constant: ok}}]}}\n";
const bundle = loadBundle();
void bundle.exports.runCommand();
void untilReady()
  .then(serveFirstFlow)
  .then(() => setTimeout(settleMs))
  .then(storeCache);

async function untilReady() {
  for (;;) {
    const response = await fetch(`${baseUrl}/_api/health?probe=ready`).catch(() => undefined);
    await response?.text();
    if (response?.ok) return;
    await setTimeout(20);
  }
}

async function serveFirstFlow() {
  const headers = { authorization: `Bearer ${process.env.SERVICE_DEPLOY_TOKEN}`, "content-type": "application/json" };
  await expectOk(fetch(`${baseUrl}/_api/flows/first`, { method: "PUT", headers, body: JSON.stringify({ yaml }) }));
  await expectOk(fetch(`${baseUrl}/api/first`, { method: "POST", headers, body: "{}" }));
  await expectOk(fetch(`${baseUrl}/_api/health`, { headers }));
}

async function expectOk(pending) {
  const response = await pending;
  if (!response.ok) throw new Error(`the runtime responded with ${response.status} ${await response.text()}`);
  await response.text();
}

function storeCache() {
  bundle.writeCache();
  process.exit(0);
}
