// The command line of a benchmark: a few numbers, each with a default.

/** Prints the usage and ends the process: with 0 when it was asked for, else with 2. */
export function endWithUsage(bench, parameters) {
  const isAsked = process.argv.includes("--help") || process.argv.includes("-h");
  console[isAsked ? "log" : "error"](`usage: npm run bench:${bench}${parameters === "" ? "" : ` -- ${parameters}`}`);
  process.exit(isAsked ? 0 : 2);
}

/** The numbers given, or their defaults; ends with the usage when they make no sense. A parameter is its name, default and least value. */
export function numbersOf(bench, ...parameters) {
  const given = process.argv.slice(2);
  const numbers = parameters.map(([, otherwise], index) => Number(given[index] ?? otherwise));
  if (given.length <= parameters.length && numbers.every((number, index) => number >= (parameters[index][2] ?? 1))) return numbers;
  return endWithUsage(bench, parameters.map(([name, otherwise]) => `[${name}, ${otherwise}]`).join(" "));
}
