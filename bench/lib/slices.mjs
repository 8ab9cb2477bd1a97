// Compares functions in one process: short alternating slices, and the lower quartile of each, because a busy machine only adds time.
import { printTable } from "./table.mjs";

const quantile = (values, fraction) => values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)];

async function slice(work, calls) {
  const startTime = process.hrtime.bigint();
  for (let count = 0; count < calls; count++) {
    const result = work();
    if (result instanceof Promise) await result;
  }
  const nanoseconds = Number(process.hrtime.bigint() - startTime) / calls;
  await new Promise((resolve) => setImmediate(resolve));
  return nanoseconds;
}

/** Nanoseconds per call of each function, by name, after half as many slices of warm-up. */
async function nanosecondsOf(workloads, { slices, calls }) {
  const names = Object.keys(workloads);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let count = -Math.ceil(slices / 2); count < slices; count++)
    for (const name of names) {
      const nanoseconds = await slice(workloads[name], calls);
      if (count >= 0) times[name].push(nanoseconds);
    }
  return Object.fromEntries(names.map((name) => [name, quantile(times[name], 0.25)]));
}

/** Our cost compared with hand-written code. */
export async function compareWithHandWritten(ours, handWritten, options) {
  const { oursNs, handWrittenNs } = await nanosecondsOf({ oursNs: ours, handWrittenNs: handWritten }, options);
  return { oursNs, handWrittenNs, ratio: oursNs / handWrittenNs };
}

/** Prints the results of {@link compareWithHandWritten} as a table. */
export function printComparison(results) {
  printTable(
    ["", "hand-written, ns", "sluice, ns", "ratio"],
    Object.entries(results).map(([name, { oursNs, handWrittenNs, ratio }]) => [name, handWrittenNs.toFixed(0), oursNs.toFixed(0), ratio.toFixed(2)]),
  );
}
