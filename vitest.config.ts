import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { compile } from "./scripts/prepare.mjs";
import { compiledModules, compiledPackages } from "./scripts/test/compiled-packages.mjs";
import { resultsReporter } from "./scripts/test/results-reporter.mjs";
import { SlowFirstSequencer } from "./scripts/test/slow-first.mjs";

/** The tests of a project. Projects run one after another in the order of this file: each has its own number of processes. */
let groupOrder = 0;
const project = (name: string, include: readonly string[], options: Record<string, unknown> = {}): TestProjectConfiguration => ({
  extends: true,
  test: { name, include: [...include], sequence: { groupOrder: groupOrder++ }, ...options },
});

/** The tests of the designer that call `findingsOf`: `npm test` runs them without axe-core, which takes most of a second for a page. */
const states = readdirSync("tests/designer")
  .map((name) => `tests/designer/${name}`)
  .filter((path) => path.endsWith(".test.ts") && readFileSync(path, "utf8").includes("findingsOf("));

/** These use all cores, or compare speeds. */
const alone = ["tests/long/benchmarks.test.ts", "tests/long/node-versions.test.ts"];

// Vite loads this file once per project, and `npm test` has compiled already.
if (process.env["SLUICE_COMPILED"] === undefined) {
  if ((await compile()) !== 0) process.exit(1);
  process.env["SLUICE_COMPILED"] = "true";
}

export default defineConfig({
  plugins: [compiledPackages()],
  test: {
    // Long timeouts: a waiting test must fail because of a defect, not because the machine stalled.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Loading the modules takes longer than most tests: files that run in one process share them.
    pool: "forks",
    server: { deps: { external: [compiledModules] } },
    isolate: false,
    sequence: { sequencer: SlowFirstSequencer },
    // Each process loads the test files: they are transformed once.
    experimental: { fsModuleCache: true },
    reporters: ["default", resultsReporter()],
    projects: [
      project("unit", ["packages/*/src/**/*.test.ts", "packages/designer/server/**/*.test.ts"], {
        exclude: ["**/*.live.test.ts"],
        setupFiles: ["./scripts/test/no-processes.mjs"],
        maxWorkers: 2,
      }),
      project("live", ["packages/*/src/**/*.live.test.ts", "packages/designer/server/**/*.live.test.ts", "tests/*.test.ts"], {
        maxWorkers: 6,
        maxConcurrency: 20,
      }),
      // Each browser uses several threads.
      project("browser", ["tests/designer/*.test.ts"], { maxWorkers: 4 }),
      project("axe", states, { env: { SLUICE_AXE: "true" }, maxWorkers: 4 }),
      project("long", ["tests/long/**/*.test.ts"], { exclude: alone, maxWorkers: 2, testTimeout: 1_800_000 }),
      project("alone", alone, { maxWorkers: 1, testTimeout: 1_800_000 }),
      // Kills processes at system calls, fills disks and takes minutes. `npm test` runs the tests of the cluster with NATS, here they run with PostgreSQL.
      project("faults", ["tests/faults/**/*.test.ts", "tests/cluster-{aggregate,dead-letters,hand-over,saga,sessions,view}.test.ts"], {
        env: { SLUICE_CLUSTER_STORE: "postgres" },
        maxWorkers: 1,
      }),
    ],
  },
});
