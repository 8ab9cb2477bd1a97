// Runs the benchmarks in bench/budgets.json and fails if the hot path has become slower than its budgets allow.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the hot path stays within its budgets", () => {
  const checked = spawnSync(process.execPath, ["bench/check.mjs"], { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8" });
  expect(`${checked.stdout}${checked.stderr}`).not.toMatch(/EXCEEDED|Error/);
  for (const figure of ["engine ratio", "hot-path webhook.ratio", "expressions condition.ratio", "split-aggregate list.ratio"])
    expect(checked.stdout).toContain(`${figure}: `);
  expect(checked.status).toBe(0);
}, 300_000);
