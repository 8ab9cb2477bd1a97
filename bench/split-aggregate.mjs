// npm run bench:split-aggregate — splits a message of 1,000 items, runs a step on each and aggregates the results: as a JSON list, as lines and as
// CSV rows that are read while they are split, and through an aggregate. Compared with hand-written code in the same run; engine only.
import { deepStrictEqual } from "node:assert/strict";
import { Message } from "@sluice/engine";
import { deployRoute, engineRuntime } from "./lib/engine-runtime.mjs";
import { printResult } from "./lib/result.mjs";
import { compareWithHandWritten } from "./lib/slices.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [slices] = numbersOf("split-aggregate", { name: "slices", usual: 100, short: 40, min: 20 });
const count = 1_000;
const items = Array.from({ length: count }, (_, index) => ({ sku: `S-${index}`, qty: (index % 9) + 1 }));
const grouped = 'aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"';
const labelOf = ({ sku, qty }) => `${qty} of ${sku}`;
const expected = items.map(labelOf);
const label = '{setBody: {simple: "${body[qty]} of ${body[sku]}"}}';

const cases = {
  list: {
    steps: ["unmarshal: {json: {}}", `split: {simple: "\${body}", ${grouped}, steps: [${label}]}`],
    body: JSON.stringify(items),
    handWritten(text) {
      const labels = [];
      for (const item of JSON.parse(text)) labels.push(labelOf(item));
      return labels;
    },
  },
  lines: {
    steps: [`split: {tokenize: "\\n", streaming: true, ${grouped}, steps: [{setBody: {simple: "<\${body}>"}}]}`],
    body: expected.join("\n"),
    expected: expected.map((line) => `<${line}>`),
    handWritten(text) {
      const lines = [];
      for (const line of text.split("\n")) lines.push(`<${line}>`);
      return lines;
    },
  },
  csv: {
    steps: ["unmarshal: {csv: {useMaps: true, lazyLoad: true}}", `split: {simple: "\${body}", streaming: true, ${grouped}, steps: [${label}]}`],
    body: `sku,qty\n${items.map(({ sku, qty }) => `${sku},${qty}\n`).join("")}`,
    handWritten(text) {
      const labels = [];
      const lines = text.split("\n");
      for (let index = 1; index < lines.length; index++) {
        if (lines[index] === "") continue;
        const [sku, qty] = lines[index].split(",");
        labels.push(labelOf({ sku, qty }));
      }
      return labels;
    },
  },
  aggregate: {
    steps: [
      `split: {simple: "\${body}", steps: [${label}, {aggregate: {correlationExpression: {constant: all}, completionSize: ${count}, ${grouped}, steps: [{setProperty: {name: size, simple: "\${body.size()}"}}]}}]}`,
    ],
    body: items,
    expected: items,
    handWritten(list) {
      const groups = new Map();
      for (const item of list) {
        const group = groups.get("all") ?? [];
        groups.set("all", group);
        group.push(labelOf(item));
        if (group.length === count) groups.delete("all");
      }
      return list;
    },
  },
};

const results = {};
for (const [name, { steps, body, handWritten, expected: result = expected }] of Object.entries(cases)) {
  const routeInput = await deployRoute(engineRuntime(), steps);
  const { failure, message } = await routeInput.deliver(new Message(body));
  if (failure !== undefined) throw failure;
  deepStrictEqual(message.body, result);
  deepStrictEqual(handWritten(body), result);
  results[name] = await compareWithHandWritten(
    () => routeInput.deliver(new Message(body)),
    () => handWritten(body),
    { slices, calls: 2 },
  );
}
printTable(
  ["per item", "hand-written, ns", "sluice, ns", "ratio"],
  Object.entries(results).map(([name, { oursNs, handWrittenNs, ratio }]) => [
    name,
    (handWrittenNs / count).toFixed(0),
    (oursNs / count).toFixed(0),
    ratio.toFixed(1),
  ]),
);
printResult("split-aggregate", { items: count, ...results });
