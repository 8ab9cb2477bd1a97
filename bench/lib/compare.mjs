// Compares two or more servers doing the same work, measured alternately in one run. Only ratios are meaningful on a shared machine, so rounds are
// short, the first server rotates, and a round in which the host took CPU time away is repeated.
import { median } from "./figures.mjs";
import { load, loadTool } from "./load.mjs";
import { cpuMicros } from "./processes.mjs";
import { printResult } from "./result.mjs";
import { watchSteal } from "./steal.mjs";
import { printTable } from "./table.mjs";
import { numbersOf } from "./usage.mjs";

/** Rounds and seconds from the command line. */
export function roundsOf(bench) {
  const [rounds, seconds] = numbersOf(bench, { name: "rounds", usual: 12, short: 2 }, { name: "seconds per round", usual: 1, short: 0.2, min: 0.1 });
  return { rounds, seconds };
}

/** One round against one server: responses per second as seen by clients, and CPU time per response, which a busy machine affects less. */
async function round({ server, path, body, headers, meanwhile }, seconds) {
  const before = cpuMicros(server.child.pid);
  const [result] = await Promise.all([load(`${server.baseUrl}${path}`, body, { seconds, headers }), meanwhile?.(seconds)]);
  return { ...result, cpu: (cpuMicros(server.child.pid) - before) / (result.perSecond * seconds) };
}

/**
 * Measures `sides` ({name, server, path, body, headers, meanwhile}) alternately; the first is the reference, and `meanwhile` runs during a round of
 * the given seconds. Returns by name the median ratios by rate and by CPU time, the spread, the ratio of the p99 latencies, and the number of failed
 * calls.
 */
export async function compare(sides, { rounds, seconds }) {
  console.log(`load: ${loadTool(seconds)}, ${rounds} rounds of ${seconds} s each, 32 connections`);
  const warmUpSeconds = Math.min(3, 3 * seconds);
  for (const side of [...sides, ...sides]) await round(side, warmUpSeconds);
  const rows = Object.fromEntries(sides.map(({ name }) => [name, []]));
  let repeats = rounds;
  for (let number = 1; number <= rounds; number++) {
    const wasDisturbed = watchSteal();
    const results = {};
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(turn + number) % sides.length];
      results[side.name] = await round(side, seconds);
    }
    if (wasDisturbed() && repeats-- > 0) {
      number--;
      continue;
    }
    for (const { name } of sides) rows[name].push(results[name]);
    console.log(
      `round ${number}: ${sides.map(({ name }) => `${name} ${results[name].perSecond.toFixed(0)}/s, p99 ${results[name].p99Ms.toFixed(1)} ms, ${results[name].cpu.toFixed(1)} µs`).join("; ")}`,
    );
  }
  const [reference, ...others] = sides;
  return Object.fromEntries(
    others.map(({ name }) => {
      const pairs = rows[name].map((ours, index) => ({ ours, bare: rows[reference.name][index] }));
      const ratios = pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond);
      return [
        name,
        {
          ratio: median(ratios),
          min: Math.min(...ratios),
          max: Math.max(...ratios),
          byCpu: median(pairs.map(({ ours, bare }) => bare.cpu / ours.cpu)),
          p99: median(pairs.map(({ ours, bare }) => ours.p99Ms / bare.p99Ms)),
          failed: pairs.reduce((sum, { ours }) => sum + ours.failed, 0),
        },
      ];
    }),
  );
}

/** Prints the ratios to the reference server as a table. */
export function printRatios(results) {
  printTable(
    ["ratio to the reference", "by rate", "min", "max", "by CPU time", "p99 ratio", "failed"],
    Object.entries(results).map(([name, { ratio, min, max, byCpu, p99, failed }]) => [
      name,
      ...[ratio, min, max, byCpu, p99].map((value) => value.toFixed(2)),
      failed,
    ]),
  );
}

/** A table for people, one line of JSON for scripts. */
export function report(bench, results) {
  printRatios(results);
  printResult(bench, results);
}
