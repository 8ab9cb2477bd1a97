import { mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** `npm test` runs these tests with NATS; this configuration runs them with PostgreSQL. */
const clusterTests = "tests/cluster-{aggregate,dead-letters,hand-over,saga,sessions,view}.test.ts";

// Slow and disruptive tests: they kill the process at system calls, fill disks and take minutes.
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  {
    test: {
      include: ["tests/faults/**/*.test.ts", clusterTests],
      exclude: ["**/node_modules/**"],
      env: { SLUICE_CLUSTER_STORE: "postgres" },
      testTimeout: 300_000,
      maxWorkers: 1,
    },
  },
);
