// Part of npm run bench:designer — the size of the initial page load of the designer, compressed as served. Fails above the budget.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

numbersOf("designer");

const budget = 150 * 1024;
const app = new URL("../packages/designer/dist/app/", import.meta.url);
const size = (name) => gzipSync(readFileSync(new URL(name, app))).length;

const page = readFileSync(new URL("index.html", app), "utf8");
const entries = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1]);
const initial = new Set(entries);
// Static imports of the entry scripts count towards the initial load; dynamic imports do not.
for (const name of initial) {
  for (const [, imported] of readFileSync(new URL(name, app), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) initial.add(`assets/${imported}`);
}
const total = [...initial].reduce((sum, name) => sum + size(name), 0);
for (const name of readdirSync(new URL("assets/", app))
  .filter((file) => file.endsWith(".js"))
  .sort()) {
  console.log(`${String(size(`assets/${name}`)).padStart(8)}  ${initial.has(`assets/${name}`) ? "initial" : "lazy   "}  ${name}`);
}
console.log(`${String(total).padStart(8)}  initial JavaScript, gzipped (budget ${budget})`);
printResult("designer-size", { bytes: total, budget, share: total / budget });
if (initial.size === 0 || total > budget) process.exitCode = 1;
