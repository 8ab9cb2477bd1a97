import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter } from "vitest/node";

const source = (path: string): string => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

/** Names in the end what passed only when it was tried again: on a machine that has nothing else to do, each is a defect. */
function triedAgain(): Reporter {
  const names: string[] = [];
  return {
    onTestCaseResult(test) {
      if (test.diagnostic()?.flaky === true)
        names.push(`${test.module.relativeModuleId}: ${test.fullName}\n    ${test.result().errors?.[0]?.message.split("\n")[0] ?? ""}`);
    },
    onTestRunEnd() {
      if (names.length > 0) console.log(`Passed only when tried again:\n  ${names.join("\n  ")}\n`);
    },
  };
}

// Tests run on the sources: a package's name leads to its src folder, never to a stale build.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@sluice\/designer\/server$/, replacement: source("designer/server/index.ts") },
      { find: /^@sluice\/engine\/spi$/, replacement: source("engine/src/spi/index.ts") },
      { find: /^@sluice\/(connectors|flow-tests)\/portable$/, replacement: source("$1/src/portable.ts") },
      { find: /^@sluice\/server\/check$/, replacement: source("server/src/check-flow.ts") },
      { find: /^@sluice\/server\/workers$/, replacement: source("server/src/workers/supervisor.ts") },
      { find: /^@sluice\/server\/config$/, replacement: source("server/src/config.ts") },
      { find: /^@sluice\/([a-z-]+)$/, replacement: source("$1/src/index.ts") },
    ],
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/designer/server/**/*.test.ts", "tests/*.test.ts", "tests/designer/*.test.ts"],
    // Wide, because a test that waits for something is to fail for a fault and not for a machine that stood still meanwhile.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // Loading the sources costs more than most tests: files that run in one process share what is loaded.
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    reporters: ["default", triedAgain()],
  },
});
