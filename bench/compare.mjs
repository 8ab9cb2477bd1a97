// npm run bench:compare — runs benchmarks and compares their figures with bench/baseline.json. Exits with 1 if a figure is worse than its baseline by
// more than the margin in that file, in three out of three runs. With --write, the medians of three runs become the baseline.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./lib/compare.mjs";
import { bestFiguresOf, figuresOf } from "./lib/measure.mjs";
import { printTable } from "./lib/table.mjs";
import { endWithUsage } from "./lib/usage.mjs";

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    baseline: { type: "string", default: fileURLToPath(new URL("baseline.json", import.meta.url)) },
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const baseline = JSON.parse(readFileSync(options.baseline, "utf8"));
const benchNames = Object.keys(baseline.benches);
if (options.help || names.some((name) => name !== "all" && !benchNames.includes(name)))
  endWithUsage("compare", `[--baseline file] [--write] [all, or some of ${benchNames.join(" ")}]`);

const isChosen = (name) => (names.length === 0 ? baseline.benches[name].isQuick === true : names.includes("all") || names.includes(name));
const directionsOf = ({ less = {}, more = {} }) =>
  Object.fromEntries([...Object.keys(less).map((path) => [path, "less"]), ...Object.keys(more).map((path) => [path, "more"])]);

/** How much worse a figure is than the baseline, as a fraction; negative when it is better. */
const worseBy = (bench, path, value) => (bench.less?.[path] === undefined ? bench.more[path] / value - 1 : value / bench.less[path] - 1);

async function compareFigures(name, bench) {
  const margin = bench.margin ?? baseline.margin;
  const figures = await bestFiguresOf(bench.command, directionsOf(bench), (path, value) => worseBy(bench, path, value) <= margin);
  if (figures === undefined) return [[name, "cannot be measured here", "", "", "", ""]];
  return Object.entries(figures).map(([path, value]) => {
    const worse = worseBy(bench, path, value);
    if (worse > margin) process.exitCode = 1;
    const change = `${Math.abs(worse * 100).toFixed(0)}% ${worse > 0 ? "worse" : "better"}`;
    return [name, path, (bench.less?.[path] ?? bench.more[path]).toFixed(2), value.toFixed(2), change, worse > margin ? "WORSE" : "ok"];
  });
}

async function updateBaseline(name, bench) {
  const directions = directionsOf(bench);
  const runs = [];
  for (let count = 0; count < 3; count++) runs.push(await figuresOf(bench.command, directions));
  if (runs.includes(undefined)) return [[name, "cannot be measured here", "", "", "", ""]];
  return Object.entries(directions).map(([path, direction]) => {
    const previous = bench[direction][path];
    const value = Number(median(runs.map((figures) => figures[path])).toFixed(3));
    bench[direction][path] = value;
    return [name, path, previous.toFixed(2), value.toFixed(2), "", "written"];
  });
}

const rows = [];
for (const name of benchNames.filter(isChosen)) {
  console.error(`${name} …`);
  rows.push(...(await (options.write ? updateBaseline : compareFigures)(name, baseline.benches[name])));
}
printTable(["bench", "figure", "baseline", "now", "change", ""], rows);
if (options.write) writeFileSync(options.baseline, `${JSON.stringify(baseline, null, 2)}\n`);
console.log(
  JSON.stringify({
    bench: "compare",
    figures: rows.map(([bench, figure, previous, now]) => ({ bench, figure, baseline: Number(previous), now: Number(now) })),
  }),
);
