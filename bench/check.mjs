// npm run bench:check — measures the benchmarks in bench/budgets.json; exits with 1 when a budget is exceeded. A figure over its budget is measured
// again, at most twice.
import { readFileSync } from "node:fs";
import { bestFiguresOf } from "./lib/measure.mjs";
import { numbersOf } from "./lib/usage.mjs";

numbersOf("check");
const { about: _, ...budgets } = JSON.parse(readFileSync(new URL("budgets.json", import.meta.url), "utf8"));
for (const [name, { command, max }] of Object.entries(budgets)) {
  const isWithin = (path, value) => value <= max[path];
  const directions = Object.fromEntries(Object.keys(max).map((path) => [path, "less"]));
  const best = await bestFiguresOf(command, directions, isWithin);
  for (const [path, value] of Object.entries(best)) {
    if (!isWithin(path, value)) process.exitCode = 1;
    console.log(`${name} ${path}: ${value.toFixed(2)}, at most ${max[path]}: ${isWithin(path, value) ? "ok" : "EXCEEDED"}`);
  }
}
