// Runs the bundle until the runtime has served a first flow, then stores the code that V8 has compiled.
const { loadBundle } = require("../packages/cli/bin/bundle.cjs");

const settleMs = 300;
const baseUrl = `http://127.0.0.1:${process.env.SERVICE_PORT}`;
const yaml = "- route: {id: first, from: {uri: webhook, steps: [{log: '${body}'}, {setBody: {constant: ok}}]}}\n";
const bundle = loadBundle();
void bundle.exports.runCommand();
const portCheck = setInterval(() => {
  if (!process.getActiveResourcesInfo().includes("TCPServerWrap")) return;
  clearInterval(portCheck);
  void serveFirstFlow().then(() => setTimeout(storeCache, settleMs));
}, 20);

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
