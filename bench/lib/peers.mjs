// Other servers for comparison, installed from the npm registry for a benchmark and removed when it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithBare } from "./compare-with-bare.mjs";
import { printRatios } from "./compare.mjs";
import { killOnExit, temporaryFolder } from "./cleanup.mjs";
import { endUnavailable, printResult } from "./result.mjs";
import { workloads } from "./workloads.mjs";

const installTimeoutMs = 300_000;

/** Installs a package and returns its folder; `packageSpec` is its name and exact version. Exits if it cannot be installed. */
export async function installPackage(packageSpec) {
  const folder = temporaryFolder("peer");
  console.error(`Installing ${packageSpec} …`);
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  // Without retries, npm soon gives up where there is no network.
  const options = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", "--fetch-retries=0", packageSpec];
  const npm = killOnExit(spawn("npm", options, { cwd: folder, stdio: ["ignore", 2, 2], timeout: installTimeoutMs }));
  const [status] = await Promise.race([once(npm, "exit"), once(npm, "error")]);
  if (status === 0) return folder;
  return endUnavailable(`Cannot install ${packageSpec}: this benchmark needs npm and the npm registry. Nothing was measured.`);
}

/** Runs both workloads on bare node:http, Sluice and a peer, which serves them at `/webhook` and `/router`. */
export async function comparePeer(name, peer, rounds) {
  const results = {};
  for (const workName of Object.keys(workloads)) {
    const shares = await compareWithBare(workName, rounds, [{ name, server: peer, path: `/${workName}` }]);
    printRatios(shares);
    const times = shares.sluice.ratio / shares[name].ratio;
    console.log(`${workName}: sluice reaches ${times.toFixed(1)} times the throughput of ${name}`);
    results[workName] = { ...shares, times };
  }
  printResult(name, results);
}
