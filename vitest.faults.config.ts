import { mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

// Slow and disruptive tests: they kill the process at system calls, fill disks and take minutes.
export default mergeConfig({ ...base, test: { ...base.test, include: [] } }, { test: { include: ["tests/faults/**/*.test.ts"], exclude: ["**/node_modules/**"], testTimeout: 300_000, maxWorkers: 1 } });
