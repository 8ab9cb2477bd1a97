// `npm run test:node-versions`: on the first supported version of each line of Node, installs the packed package and runs a first flow; on the current
// LTS version, runs `npm test`. --suite names other versions for `npm test`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { environmentOf, installNode } from "./node-versions/install-node.mjs";
import { runFirstFlow } from "./node-versions/first-flow.mjs";
import { currentLts, floors } from "./node-versions/versions.mjs";
import { packCommand } from "./publish/pack.mjs";
import { build } from "./prepare.mjs";
import { root } from "./run-command.mjs";

const { values } = parseArgs({ options: { suite: { type: "string", default: currentLts } } });
await build();
const folder = mkdtempSync(join(tmpdir(), "sluice-node-"));
const failed = [];
try {
  const tarball = await packCommand(folder);
  for (const version of floors)
    await attempt(`First flow on Node ${version}`, async () =>
      runFirstFlow({ node: await installNode(version, folder), tarball, folder: join(folder, `first-flow-${version}`) }),
    );
  for (const version of values.suite.split(","))
    await attempt(`Tests on Node ${version}`, async () => {
      const node = await installNode(version, folder);
      const { status } = spawnSync(node, ["scripts/test.mjs"], { cwd: root, stdio: "inherit", env: environmentOf(node) });
      if (status !== 0) throw new Error(`exit code ${status}`);
    });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed.length === 0 ? "\nPassed on every version of Node." : `\nFailed: ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function attempt(title, work) {
  const from = performance.now();
  try {
    await work();
    console.log(`✓ ${title} (${Math.round((performance.now() - from) / 1_000)} s)`);
  } catch (error) {
    console.log(`✗ ${title}: ${error.message}`);
    failed.push(title);
  }
}
