// The command line of a benchmark: a few numbers, each with a default.

/** Prints the usage and exits: with 0 when it was requested, otherwise with 2. */
export function endWithUsage(bench, parameters) {
  const isRequested = process.argv.includes("--help") || process.argv.includes("-h");
  console[isRequested ? "log" : "error"](`usage: npm run bench:${bench}${parameters === "" ? "" : ` -- ${parameters}`}`);
  process.exit(isRequested ? 0 : 2);
}

/** The numbers on the command line, or their defaults; exits with the usage if they are invalid. Each parameter is [name, default, minimum]; the minimum defaults to 1. */
export function numbersOf(bench, ...parameters) {
  const values = process.argv.slice(2);
  const numbers = parameters.map(([, defaultValue], index) => Number(values[index] ?? defaultValue));
  if (values.length <= parameters.length && numbers.every((number, index) => number >= (parameters[index][2] ?? 1))) return numbers;
  return endWithUsage(bench, parameters.map(([name, defaultValue]) => `[${name}] (default ${defaultValue})`).join(" "));
}
