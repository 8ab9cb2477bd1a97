// npm run bench:check — measures what bench/budgets.json names and ends with 1 when a budget is exceeded. A figure over its
// budget is measured again, twice at most: noise does not come back, a slower hot path does.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tries = 3;

function measure(command) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8", timeout: 120_000 });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const at = (result, path) => path.split(".").reduce((value, name) => value?.[name], result);

let exceeded = false;
for (const [name, budget] of Object.entries(JSON.parse(readFileSync(`${root}bench/budgets.json`, "utf8")))) {
  if (typeof budget !== "object") continue;
  const best = {};
  for (let count = 0; count < tries; count++) {
    const result = measure(budget.command);
    for (const path of Object.keys(budget.most)) {
      const value = at(result, path);
      if (typeof value !== "number") throw new Error(`${name} tells no ${path}: mend bench/budgets.json`);
      best[path] = Math.min(best[path] ?? Infinity, value);
    }
    if (Object.entries(budget.most).every(([path, most]) => best[path] <= most)) break;
  }
  for (const [path, most] of Object.entries(budget.most)) {
    const holds = best[path] <= most;
    if (!holds) exceeded = true;
    console.log(`${name} ${path}: ${best[path].toFixed(2)}, at most ${most}: ${holds ? "holds" : "EXCEEDED"}`);
  }
}
process.exitCode = exceeded ? 1 : 0;
