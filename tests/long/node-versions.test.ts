// Supported versions of Node: a first flow on the first version of each line, and the tests without a browser on the current LTS version.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runFirstFlow } from "../../scripts/node-versions/first-flow.mjs";
import { environmentOf, installNode } from "../../scripts/node-versions/install-node.mjs";
import { currentLts, floors } from "../../scripts/node-versions/versions.mjs";
import { packCommand } from "../../scripts/publish/pack.mjs";
import { unreachableReason } from "../npm-install.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice-node-"));
let tarball: string;
beforeAll(async () => {
  tarball = await packCommand(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The binary of a version, or why it cannot be installed. */
async function nodeOf(version: string): Promise<{ readonly node?: string; readonly skipReason?: string }> {
  try {
    return { node: await installNode(version, folder) };
  } catch (error) {
    const skipReason = unreachableReason((error as { readonly stderr?: string }).stderr ?? "");
    if (skipReason === undefined) throw error;
    return { skipReason };
  }
}

it.for(floors)("a first flow and a durable message run on Node %s (needs Linux and the npm registry)", async (version, { skip }) => {
  const { node, skipReason } = await nodeOf(version);
  if (node === undefined) return skip(skipReason);
  await runFirstFlow({ node, tarball, folder: join(folder, `first-flow-${version}`) });
});

it(`the tests without a browser pass on Node ${currentLts} (needs Linux and the npm registry)`, async ({ skip }) => {
  const { node, skipReason } = await nodeOf(currentLts);
  if (node === undefined) return skip(skipReason);
  const results = join(folder, "results.json");
  const parameters = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--project", "live"];
  const child = spawn(node, parameters, {
    cwd: root,
    env: { ...environmentOf(node), SLUICE_TEST_RESULTS: results, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output = (output + chunk).slice(-20_000)));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(existsSync(results), output).toBe(true);
  const { passed, failed } = JSON.parse(readFileSync(results, "utf8"));
  expect({ code, failed }, output).toEqual({ code: 0, failed: [] });
  expect(passed).toBeGreaterThan(1_000);
});
