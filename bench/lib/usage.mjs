// The command line of a benchmark. Every benchmark has arguments for a short run: `--short` stands for them, and `npm run test:all` uses it.

import { exitCodes } from "./result.mjs";

/** Prints the usage and exits: with 0 when it was requested, otherwise with 2. */
export function endWithUsage(bench, parameters) {
  const isRequested = process.argv.includes("--help") || process.argv.includes("-h");
  console[isRequested ? "log" : "error"](`usage: npm run bench:${bench}${parameters === "" ? "" : ` -- ${parameters}`}`);
  process.exit(isRequested ? 0 : exitCodes.usage);
}

/** What `read` makes of the arguments, or of those that `--short` stands for; undefined if they are wrong or `--help` is among them. */
export function readArguments(values, { short, read }) {
  if (values.includes("--help") || values.includes("-h")) return undefined;
  return read(values.length === 1 && values[0] === "--short" ? short : values);
}

/**
 * The arguments of a benchmark as `read` returns them; exits with the usage if that is undefined. `short` are the arguments of a short run, which prints
 * all figures within a few seconds, without precision.
 */
export function argumentsOf(bench, { usage, short, read }) {
  const shortUsage = short.length === 0 ? "--short" : `--short (${short.join(" ")})`;
  return readArguments(process.argv.slice(2), { short, read }) ?? endWithUsage(bench, [usage, shortUsage].filter((part) => part !== "").join(" | "));
}

/** The numbers at their positions, or their usual values; undefined if the arguments are wrong. */
export function readNumbers(values, parameters) {
  const numbers = parameters.map(({ usual }, index) => Number(values[index] ?? usual));
  return values.length <= parameters.length && numbers.every((number, index) => number >= (parameters[index].min ?? 1)) ? numbers : undefined;
}

/** The numbers on the command line. Each parameter has a name, a usual value, a short one, and a minimum of 1 unless it says otherwise. */
export function numbersOf(bench, ...parameters) {
  return argumentsOf(bench, {
    usage: parameters.map(({ name, usual }) => `[${name}] (default ${usual})`).join(" "),
    short: parameters.map(({ short }) => String(short)),
    read: (values) => readNumbers(values, parameters),
  });
}
