// `npm test`: installs and builds when needed, then runs every check and test and prints one summary.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "./prepare.mjs";
import { root, runNode, withProgress } from "./run-command.mjs";
import { mergeResults, summarize } from "./test/summary.mjs";

// These measure how heavy load affects other requests, or compare durations, so they run sequentially.
const sequentialFiles = [
  "tests/bench-budgets.test.ts",
  "tests/documents.test.ts",
  "tests/event-loop.test.ts",
  "tests/http-input.test.ts",
  "tests/partner-faults.test.ts",
  "tests/redeploy.test.ts",
  "tests/streams.test.ts",
  "tests/access.test.ts",
  "tests/cli-examples.test.ts",
  "tests/cli-terminal.test.ts",
  "packages/server/src/access/schemes/basic.test.ts",
  "packages/server/src/api/duplicate-names.test.ts",
  "packages/server/src/runs/find-runs.test.ts",
];
const requested = process.argv.slice(2);
// A test that failed on a busy machine is retried once, and named in the summary.
const parts =
  requested.length > 0
    ? [requested]
    : [
        ["--retry=1", ...[...sequentialFiles, "tests/designer/**"].flatMap((file) => ["--exclude", file])],
        ["--retry=1", "--maxWorkers=1", ...sequentialFiles],
        // Each browser uses several threads.
        ["--retry=1", "--maxWorkers=3", "tests/designer"],
      ];
/** The folder that CI keeps between runs, if any. */
const cacheFolder = process.env.SLUICE_TEST_CACHE;

await prepare();
const modules = `${root}node_modules`;
await withProgress("Linting", () => runNode([`${modules}/oxlint/bin/oxlint`]));
await withProgress("Checking the format", () => runNode([`${modules}/oxfmt/bin/oxfmt`, "--check", "packages", "scripts", "tests", "bench"]));
await withProgress("Checking the types of the tests", () => runNode([`${modules}/typescript/bin/tsc`, "-p", "tsconfig.tests.json"]));
const results = await runParts();
const { hasPassed, lines } = summarize(results, readRetried());
storeRetried(results.retried);
console.log(`\n${lines.join("\n")}`);
process.exitCode = hasPassed ? 0 : 1;

/** Runs all parts, even after a failure: the summary covers all of them. */
async function runParts() {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const file = join(folder, "results.jsonl");
  const recorded = [];
  for (const part of parts) {
    writeFileSync(file, "");
    const code = await runNode([`${modules}/vitest/vitest.mjs`, "run", ...part], { SLUICE_TEST_RESULTS: file });
    const [result = { passed: 0, failed: [], skipped: [], retried: [] }] = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    if (code !== 0 && result.failed.length === 0) result.failed.push(`vitest exited with code ${code}: see its output above`);
    recorded.push(result);
  }
  rmSync(folder, { recursive: true, force: true });
  return mergeResults(recorded);
}

function readRetried() {
  const file = cacheFolder === undefined ? undefined : join(cacheFolder, "retried-tests.json");
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

function storeRetried(retried) {
  if (cacheFolder === undefined) return;
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(join(cacheFolder, "retried-tests.json"), JSON.stringify(retried.map(({ name }) => name)));
}
