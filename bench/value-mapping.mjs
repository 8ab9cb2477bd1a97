// npm run bench:value-mapping — the load time of a table with a million rows, and the cost of a lookup compared with a plain Map with the same keys
// in the same run.
import { readTable, tableWarnings } from "@sluice/mapping";
import { printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [rowCount, rounds] = numbersOf("value-mapping", { name: "rows", usual: 1_000_000, short: 200_000 }, { name: "rounds", usual: 5, short: 3 });
const text = JSON.stringify({ columns: ["shop", "sap"], rows: Array.from({ length: rowCount }, (_, index) => [`article-${index}`, `M${index % 5000}`]) });

// CPU time, so that other work on the machine does not count.
const usedMs = (before) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const measureMs = (run) => {
  const before = process.cpuUsage();
  const result = run();
  return [usedMs(before), result];
};
const [parseMs, document] = measureMs(() => JSON.parse(text));
const [checkMs, { table }] = measureMs(() => readTable("big", document));
const [warnMs] = measureMs(() => tableWarnings(table.content));
const [compileMs] = measureMs(() => table.direction(["shop"], "sap"));

const plain = new Map(document.rows);
const keys = Array.from({ length: 100_000 }, (_, index) => `article-${(index * 7919) % rowCount}`);
const direction = table.direction(["shop"], "sap");
const nsEach = (find) => {
  let hits = 0;
  const before = process.cpuUsage();
  for (const key of keys) if (find(key) !== undefined) hits++;
  if (hits !== keys.length) throw new Error("a lookup found nothing");
  return (usedMs(before) * 1_000_000) / keys.length;
};
const best = { map: Infinity, direction: Infinity, table: Infinity };
for (let round = 0; round < rounds; round++) {
  best.map = Math.min(
    best.map,
    nsEach((key) => plain.get(key)),
  );
  best.direction = Math.min(
    best.direction,
    nsEach((key) => direction.find(key)),
  );
  best.table = Math.min(
    best.table,
    nsEach((key) => table.find("shop", "sap", key)),
  );
}
const loadMs = parseMs + checkMs + warnMs + compileMs;
console.log(
  `${rowCount} rows: JSON ${parseMs.toFixed(0)} ms, checks ${checkMs.toFixed(0)} ms, warnings ${warnMs.toFixed(0)} ms, index ${compileMs.toFixed(0)} ms`,
);
console.log(
  `Map ${best.map.toFixed(0)} ns, compiled direction ${best.direction.toFixed(0)} ns (${(best.direction / best.map).toFixed(2)} times), by column names ${best.table.toFixed(0)} ns (${(best.table / best.map).toFixed(2)} times)`,
);
printResult("value-mapping", { rowCount, loadMs, mapNs: best.map, directionNs: best.direction, tableNs: best.table, ratio: best.table / best.map });
