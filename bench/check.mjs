// npm run bench:check — measures the benchmarks in bench/budgets.json; exits with 1 when a budget is exceeded. A figure over its budget is measured
// again, at most twice.
import { budgetLine, checkBudgets, readBudgets } from "./lib/budgets.mjs";
import { figuresOf } from "./lib/measure.mjs";
import { endWithUsage } from "./lib/usage.mjs";

if (process.argv.length > 2) endWithUsage("check", "");
for (const [name, { command, max }] of Object.entries(readBudgets())) {
  const checked = await checkBudgets(() => figuresOf(command, max), max);
  if (checked === undefined) console.log(`${name}: cannot be measured here`);
  for (const figure of checked ?? []) {
    if (!figure.isWithin) process.exitCode = 1;
    console.log(budgetLine(name, figure));
  }
}
