// npm run bench:compare — runs benchmarks and compares their figures with bench/baseline.json. Exits with 1 if a figure is worse than its baseline by
// more than the margin in that file, in three out of three runs. With --write, the medians of three runs become the baseline.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareFigures, directionsOf, updateFigures } from "./lib/baseline.mjs";
import { figuresOf } from "./lib/measure.mjs";
import { printResult } from "./lib/result.mjs";
import { printTable } from "./lib/table.mjs";
import { endWithUsage } from "./lib/usage.mjs";

const readBaseline = (file) => JSON.parse(readFileSync(file, "utf8"));
const ownFile = fileURLToPath(new URL("baseline.json", import.meta.url));
const { file, isWriting, names, baseline } =
  readArguments() ?? endWithUsage("compare", `[--baseline file] [--write] [all, or some of ${Object.keys(readBaseline(ownFile).benches).join(" ")}]`);

/** Undefined if an option or a name is unknown. */
function readArguments() {
  try {
    const options = { baseline: { type: "string", default: ownFile }, write: { type: "boolean", default: false } };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const content = readBaseline(values.baseline);
    const isKnown = positionals.every((name) => name === "all" || name in content.benches);
    return isKnown ? { file: values.baseline, isWriting: values.write, names: positionals, baseline: content } : undefined;
  } catch {
    return undefined;
  }
}

const isChosen = (name) => (names.length === 0 ? baseline.benches[name].isQuick === true : names.includes("all") || names.includes(name));

function cellsOf({ path, baseline: before, now, worse, isWorse }) {
  const cells = [path, before.toFixed(2), now.toFixed(2)];
  return isWriting ? [...cells, "", "written"] : [...cells, `${Math.abs(worse * 100).toFixed(0)}% ${worse > 0 ? "worse" : "better"}`, isWorse ? "WORSE" : "ok"];
}

const rows = [];
const figures = [];
for (const name of Object.keys(baseline.benches).filter(isChosen)) {
  console.error(`${name} …`);
  const bench = baseline.benches[name];
  const measure = () => figuresOf(bench.command, directionsOf(bench));
  const results = await (isWriting ? updateFigures(measure, bench) : compareFigures(measure, bench, bench.margin ?? baseline.margin));
  if (results === undefined) rows.push([name, "cannot be measured here", "", "", "", ""]);
  for (const result of results ?? []) {
    rows.push([name, ...cellsOf(result)]);
    figures.push({ bench: name, figure: result.path, baseline: result.baseline, now: result.now });
    if (result.isWorse) process.exitCode = 1;
  }
}
printTable(["bench", "figure", "baseline", "now", "change", ""], rows);
if (isWriting) writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`);
printResult("compare", { figures });
