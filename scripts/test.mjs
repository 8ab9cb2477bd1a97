// The three tiers of tests. `npm test` installs, builds, checks and runs the unit, live and browser tests; `npm run test:all` then runs the long
// tests; `npm run test:quick` runs only the unit tests of the changed packages. Other arguments are passed to vitest.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "./prepare.mjs";
import { root, runNode, withProgress } from "./run-command.mjs";
import { changedPackages } from "./test/changed-packages.mjs";
import { summarize } from "./test/summary.mjs";

const parameters = process.argv.slice(2);
const isQuick = parameters[0] === "--quick";
const isLong = parameters[0] === "--long";
const requested = parameters.slice(isQuick || isLong ? 1 : 0);
const modules = `${root}node_modules`;
const projects = (...names) => names.flatMap((name) => ["--project", name]);

if (isQuick) await runTests([...projects("unit"), ...unitFolders()]);
else {
  await prepare();
  if (isLong) await withProgress("Looking for dead code", () => runNode([`${modules}/knip/bin/knip.js`]));
  else await check();
  await runTests([...projects(...(isLong ? ["axe", "long", "alone"] : ["unit", "live", "browser"])), ...requested]);
}

function unitFolders() {
  const packages = requested.length > 0 ? requested : changedPackages(root);
  console.log(packages.length === 0 ? "No package has changed: running the unit tests of all packages." : `Unit tests of: ${packages.join(", ")}`);
  return packages.map((name) => `packages/${name}/`);
}

async function check() {
  await withProgress("Linting", () => runNode([`${modules}/oxlint/bin/oxlint`]));
  await withProgress("Checking the format", () => runNode([`${modules}/oxfmt/bin/oxfmt`, "--check", "packages", "scripts", "tests", "bench", "examples"]));
  await withProgress("Checking the types of the tests", () => runNode([`${modules}/typescript/bin/tsc`, "-p", "tsconfig.tests.json"]));
}

/** Runs vitest and ends with the summary. */
async function runTests(selection) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const file = join(folder, "results.json");
  const code = await runNode([`${modules}/vitest/vitest.mjs`, "run", ...selection], {
    SLUICE_TEST_RESULTS: file,
    ...(isQuick ? {} : { SLUICE_COMPILED: "true" }),
  });
  const results = readResults(file);
  if (code !== 0 && results.failed.length === 0) results.failed.push(`vitest exited with code ${code}: see its output above`);
  rmSync(folder, { recursive: true, force: true });
  const { hasPassed, lines } = summarize(results);
  console.log(`\n${lines.join("\n")}`);
  process.exitCode = hasPassed ? 0 : 1;
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: ["vitest ended without results: see its output above"], skipped: [] };
  }
}
