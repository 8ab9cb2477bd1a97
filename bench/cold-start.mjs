// npm run bench:cold-start — from the start of the process on an empty data directory to the first webhook response (start, PUT
// of a flow, call), compared with `node -e 0` plus the start and first response of a bare node:http server. Alternating; medians and their ratio.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { median } from "./lib/figures.mjs";
import { killOnExit, temporaryFolder } from "./lib/cleanup.mjs";
import { put, token } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [rounds] = numbersOf("cold-start", { name: "rounds", usual: 9, short: 2 });
const root = fileURLToPath(new URL("..", import.meta.url));
const flow = "- route: {id: hook, from: {uri: webhook, steps: [{setBody: {constant: ok}}]}}\n";

/** Milliseconds from the spawn until `firstCall`, which receives the address, has resolved. */
async function timeStart(parameters, environment, firstCall) {
  const startTime = performance.now();
  const child = killOnExit(spawn(process.execPath, parameters, { cwd: root, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] }));
  const line = await new Promise((resolve) => child.stdout.once("data", resolve));
  await firstCall(JSON.parse(String(line).split("\n", 1)[0]).baseUrl);
  const durationMs = performance.now() - startTime;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  return durationMs;
}

async function call(baseUrl) {
  const response = await fetch(`${baseUrl}/api/hook`, { method: "POST", body: "{}" });
  if ((await response.text()) !== "ok") throw new Error(`the webhook responded with ${response.status}`);
}

async function timeSluice() {
  const data = temporaryFolder("cold");
  const durationMs = await timeStart(
    ["packages/cli/bin/sluice.cjs", "run"],
    { SERVICE_PORT: "0", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: token },
    async (baseUrl) => {
      await put(baseUrl, "hook", flow);
      await call(baseUrl);
    },
  );
  rmSync(data, { recursive: true, force: true });
  return durationMs;
}

function timeEmptyScript() {
  const startTime = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - startTime;
}

// The first fetch of this process loads its client; this must not count as start time.
await fetch("data:,");
await timeSluice();
const ours = [];
const references = [];
for (let round = 0; round < rounds; round++) {
  ours.push(await timeSluice());
  references.push(timeEmptyScript() + (await timeStart(["bench/lib/bare-server.mjs", "webhook"], {}, call)));
}
console.log(
  `sluice ${median(ours).toFixed(0)} ms (min ${Math.min(...ours).toFixed(0)}); node -e 0 and a bare server ${median(references).toFixed(0)} ms (min ${Math.min(...references).toFixed(0)})`,
);
printResult("cold-start", {
  ms: median(ours),
  referenceMs: median(references),
  ratio: median(ours.map((value, round) => value / references[round])),
});
