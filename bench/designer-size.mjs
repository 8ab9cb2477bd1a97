// Part of npm run bench:designer — the size of the initial page load of the designer, compressed as served. Fails above the budget.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { numbersOf } from "./lib/usage.mjs";

numbersOf("designer");

const budget = 200 * 1024;
const app = new URL("../packages/designer/dist/app/", import.meta.url);
const size = (name) => gzipSync(readFileSync(new URL(name, app))).length;

const page = readFileSync(new URL("index.html", app), "utf8");
const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1]);
const reached = new Set(first);
// Static imports of the first scripts count towards the start; dynamic imports do not.
for (const name of reached) {
  for (const [, imported] of readFileSync(new URL(name, app), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) reached.add(`assets/${imported}`);
}
const total = [...reached].reduce((sum, name) => sum + size(name), 0);
for (const name of readdirSync(new URL("assets/", app))
  .filter((file) => file.endsWith(".js"))
  .sort()) {
  console.log(`${String(size(`assets/${name}`)).padStart(8)}  ${reached.has(`assets/${name}`) ? "start " : "later "}  ${name}`);
}
console.log(`${String(total).padStart(8)}  initial JavaScript, gzipped (budget ${budget})`);
console.log(JSON.stringify({ bench: "designer-size", bytes: total, budget, share: total / budget }));
if (reached.size === 0 || total > budget) process.exitCode = 1;
