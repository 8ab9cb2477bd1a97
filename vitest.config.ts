import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { resultsReporter } from "./scripts/test/results-reporter.mjs";
import { SlowFirstSequencer } from "./scripts/test/slow-first.mjs";

const source = (path: string): string => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

// Tests run on the sources: a package's name resolves to its src folder, never to a stale build.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@sluice\/designer\/server$/, replacement: source("designer/server/index.ts") },
      { find: /^@sluice\/engine\/(spi|tools|values)$/, replacement: source("engine/src/$1/index.ts") },
      { find: /^@sluice\/connector-kit$/, replacement: source("connectors/src/kit.ts") },
      { find: /^@sluice\/connectors\/kit$/, replacement: source("connectors/src/kit.ts") },
      { find: /^@sluice\/(connectors|flow-tests)\/portable$/, replacement: source("$1/src/portable.ts") },
      { find: /^@sluice\/server\/check$/, replacement: source("server/src/check-flow.ts") },
      { find: /^@sluice\/server\/workers$/, replacement: source("server/src/workers/supervisor.ts") },
      { find: /^@sluice\/server\/optional-parts$/, replacement: source("server/src/optional-parts.ts") },
      { find: /^@sluice\/server\/config$/, replacement: source("server/src/config.ts") },
      { find: /^sluice$/, replacement: source("cli/src/index.ts") },
      { find: /^@sluice\/([a-z-]+)$/, replacement: source("$1/src/index.ts") },
    ],
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/designer/server/**/*.test.ts", "tests/*.test.ts", "tests/designer/*.test.ts"],
    // Long timeouts: a waiting test must fail because of a defect, not because the machine stalled.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // Loading the sources takes longer than most tests: files that run in one process share the loaded modules.
    pool: "forks",
    isolate: false,
    maxWorkers: 5,
    sequence: { sequencer: SlowFirstSequencer },
    // `npm test` runs vitest three times: the second and third run need not compile the sources again.
    experimental: { fsModuleCache: true },
    reporters: ["default", resultsReporter()],
  },
});
