// npm run bench:message-mapping — the order example as a compiled document and as the same mapping in JSONata, alternating in one run: both get the
// parsed message and must return the same output. Then JSON, XML and CSV as received, compared with hand-written code.
import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Headers } from "@sluice/engine";
import { compileMapping, readTable } from "@sluice/mapping";
import jsonata from "jsonata";
import { mappingCases } from "./lib/mapping-cases.mjs";
import { exitCodes, printResult } from "./lib/result.mjs";
import { compareWithHandWritten, printComparison } from "./lib/slices.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [slices, rounds] = numbersOf("message-mapping", { name: "slices", usual: 100, short: 20, min: 20 }, { name: "rounds with JSONata", usual: 7, short: 3 });

const { document, input, output } = JSON.parse(readFileSync(new URL("lib/order-mapping.json", import.meta.url), "utf8"));
const entries = {
  uom: [
    ["piece", "ST"],
    ["box", "KAR"],
  ],
  country: [
    ["GB", "GBR"],
    ["DE", "DEU"],
  ],
};
const tables = new Map([
  ["uom", readTable("uom", { columns: ["shop", "sap"], rows: entries.uom }).table],
  ["country", readTable("country", { columns: ["iso2", "iso3"], rows: entries.country }).table],
]);
const { mapping, problems } = compileMapping(document, { tables });
deepStrictEqual(problems, []);
const message = { body: input, headers: new Headers(), params: {}, now: Date.now() };

const expression = jsonata(`(
  $live := lines[qty > 0];
  {
    "orderNo": id, "type": "ZOR", "orderDate": $substring(placedAt, 0, 10),
    "customerName": $trim(customer.firstName & " " & customer.lastName),
    "priority": customer.vip ? "HIGH" : channel = "web" ? "NORMAL" : "LOW",
    "shipTo": { "street": shipTo.street, "city": shipTo.city, "countryIso3": $lookup($country, shipTo.country) },
    "items": [$live#$i.{ "pos": ($i + 1) * 10, "material": sku, "quantity": qty, "uom": $lookup($uom, unit), "net": $round(qty * price, 2) }],
    "total": $round($sum($live.(qty * price)), 2),
    "note": comment ? comment : "none"
  }
)`);
const bindings = { uom: Object.fromEntries(entries.uom), country: Object.fromEntries(entries.country) };

const resultOf = (program, source) => {
  const { output: actual, errors } = program.run(source);
  return { output: actual, errors };
};
deepStrictEqual(resultOf(mapping, message), { output, errors: [] });
deepStrictEqual(JSON.parse(JSON.stringify(await expression.evaluate(input, bindings))), output);

// CPU time, so that other work on the machine does not count.
const perSecond = (count, before) => {
  const { user, system } = process.cpuUsage(before);
  return (count * 1_000_000) / (user + system);
};
function runCompiled(count) {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) mapping.run(message);
  return perSecond(count, before);
}
async function runInterpreted(count) {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) await expression.evaluate(input, bindings);
  return perSecond(count, before);
}

runCompiled(20_000);
await runInterpreted(1_000);
const ratios = [];
const best = { compiled: 0, jsonata: 0 };
for (let round = 0; round < rounds; round++) {
  const compiledRate = runCompiled(40_000);
  const jsonataRate = await runInterpreted(1_500);
  ratios.push(compiledRate / jsonataRate);
  best.compiled = Math.max(best.compiled, compiledRate);
  best.jsonata = Math.max(best.jsonata, jsonataRate);
}
ratios.sort((a, b) => a - b);
const ratio = ratios[Math.floor(ratios.length / 2)];
console.log(
  `compiled ${best.compiled.toFixed(0)} mappings/s, JSONata ${best.jsonata.toFixed(0)} mappings/s, ${ratio.toFixed(1)} times (median of ${ratios.length} rounds, minimum ${ratios[0].toFixed(1)})`,
);
const formats = {};
for (const [name, { document: rules, body, result, handWritten }] of Object.entries(mappingCases)) {
  const compiledRules = compileMapping(rules, { tables });
  deepStrictEqual(compiledRules.problems, []);
  const wire = { ...message, body };
  deepStrictEqual(resultOf(compiledRules.mapping, wire), { output: result, errors: [] });
  deepStrictEqual(handWritten(body), result);
  formats[name] = await compareWithHandWritten(
    () => compiledRules.mapping.run(wire),
    () => handWritten(body),
    { slices, calls: 100 },
  );
}
printComparison(formats);
printResult("message-mapping", { compiledPerSecond: best.compiled, jsonataPerSecond: best.jsonata, ratio, min: ratios[0], formats });
if (ratio < 20) process.exitCode = exitCodes.missedGoal;
