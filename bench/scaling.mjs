// npm run bench:scaling — work on one large input, compared with the same work on ten inputs of a tenth of its size: a ratio of 1 is linear time, one of
// 10 quadratic time. Most of the input is designed to be slow. Of several cases with one name, the slowest counts. Also the time to read a flow again
// after a key was typed in it, compared with reading it in full.
import { readTree, rereadTree } from "@sluice/model";
import { printResult } from "./lib/result.mjs";
import { scalingCases } from "./lib/scaling-cases.mjs";
import { compareWithHandWritten } from "./lib/slices.mjs";
import { printTable } from "./lib/table.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [slices] = numbersOf("scaling", { name: "slices", usual: 16, short: 6, min: 4 });

/** Both sides take about as long, so that a busy machine delays both alike. */
function tenTimes(work) {
  const isAsync = work() instanceof Promise;
  return isAsync
    ? async () => {
        for (let count = 0; count < 10; count++) await work();
      }
    : () => {
        for (let count = 0; count < 10; count++) work();
      };
}

const results = {};
for (const { name, size, work } of scalingCases) {
  const { oursNs, handWrittenNs, ratio } = await compareWithHandWritten(work(10 * size), tenTimes(work(size)), { slices, calls: 1 });
  if (ratio > (results[name]?.ratio ?? 0)) results[name] = { size: 10 * size, largeNs: oursNs, smallNs: handWrittenNs, ratio };
}

const flowOf = (text) =>
  `- from:\n    uri: direct:a\n    steps:\n${Array.from({ length: 400 }, (_, index) => `        - setHeader:\n            name: h${index}\n            simple: ${index === 200 ? text : "a"}\n`).join("")}`;
/** Types another character in each call. */
function typing(read) {
  const texts = Array.from({ length: 10 }, (_, index) => flowOf(`b${index}`));
  let turn = 0;
  return () => read(texts[turn++ % texts.length]);
}
const reread = await compareWithHandWritten(typing(rereadTree), typing(readTree), { slices, calls: 2 });

printTable(
  ["work", "size", "ten small inputs, µs", "one large input, µs", "ratio"],
  Object.entries(results).map(([name, { size, smallNs, largeNs, ratio }]) => [
    name,
    size,
    (smallNs / 1_000).toFixed(0),
    (largeNs / 1_000).toFixed(0),
    ratio.toFixed(2),
  ]),
);
console.log(`reading a flow of 400 steps again after a key: ${reread.ratio.toFixed(2)} of reading it in full`);
printResult("scaling", { ...results, reread: { oursNs: reread.oursNs, fullNs: reread.handWrittenNs, ratio: reread.ratio } });
