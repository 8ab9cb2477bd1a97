import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { resultsReporter } from "./scripts/test/results-reporter.mjs";
import { SlowFirstSequencer } from "./scripts/test/slow-first.mjs";

const source = (path: string): string => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

/** The tests of a project. Projects run one after another in the order of this file: each has its own number of processes. */
let groupOrder = 0;
const project = (name: string, include: readonly string[], options: Record<string, unknown> = {}): TestProjectConfiguration => ({
  extends: true,
  test: { name, include: [...include], sequence: { groupOrder: groupOrder++ }, ...options },
});

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
      { find: /^@sluice\/server\/cluster-target$/, replacement: source("server/src/cluster/cluster-target.ts") },
      { find: /^@sluice\/server\/log-line$/, replacement: source("server/src/log/log-line.ts") },
      { find: /^@sluice\/server\/workers$/, replacement: source("server/src/workers/supervisor.ts") },
      { find: /^@sluice\/server\/optional-parts$/, replacement: source("server/src/optional-parts.ts") },
      { find: /^@sluice\/server\/config$/, replacement: source("server/src/config.ts") },
      { find: /^sluice$/, replacement: source("cli/src/index.ts") },
      { find: /^@sluice\/([a-z-]+)$/, replacement: source("$1/src/index.ts") },
    ],
  },
  test: {
    // Long timeouts: a waiting test must fail because of a defect, not because the machine stalled.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Loading the sources takes longer than most tests: files that run in one process share the loaded modules.
    pool: "forks",
    isolate: false,
    sequence: { sequencer: SlowFirstSequencer },
    // Each process loads the sources: they are compiled once.
    experimental: { fsModuleCache: true },
    reporters: ["default", resultsReporter()],
    projects: [
      project("unit", ["packages/*/src/**/*.test.ts", "packages/designer/server/**/*.test.ts"], {
        exclude: ["**/*.live.test.ts"],
        setupFiles: ["./scripts/test/no-processes.mjs"],
        maxWorkers: 2,
      }),
      project("live", ["packages/*/src/**/*.live.test.ts", "packages/designer/server/**/*.live.test.ts", "tests/*.test.ts"], {
        maxWorkers: 5,
        maxConcurrency: 20,
      }),
      // Each browser uses several threads.
      project("browser", ["tests/designer/*.test.ts"], { maxWorkers: 3 }),
      project("long", ["tests/long/**/*.test.ts"], { maxWorkers: 1, testTimeout: 1_800_000 }),
      // Kills processes at system calls, fills disks and takes minutes. `npm test` runs the tests of the cluster with NATS, here they run with PostgreSQL.
      project("faults", ["tests/faults/**/*.test.ts", "tests/cluster-{aggregate,dead-letters,hand-over,saga,sessions,view}.test.ts"], {
        env: { SLUICE_CLUSTER_STORE: "postgres" },
        maxWorkers: 1,
      }),
    ],
  },
});
