// What a benchmark reports to scripts: its exit code, and its figures on the last line of its output.

/** Beyond 0 (the figures were measured) and 1 (an error, or a wrong result). */
export const exitCodes = { usage: 2, unavailable: 3, missedGoal: 4 };

/** Ends a benchmark that this machine cannot run, because it lacks something. */
export function endUnavailable(reason) {
  console.error(reason);
  process.exit(exitCodes.unavailable);
}

/** Ends a benchmark that needs process groups or the figures in /proc. */
export function requireLinux() {
  if (process.platform !== "linux") endUnavailable("This benchmark needs Linux.");
}

/** Prints the figures, one line of JSON. CPU times are left out where the system does not report them; any other figure must be a number. */
export function printResult(bench, figures) {
  const withoutGaps = (name, value) => {
    if (typeof value !== "number" || Number.isFinite(value)) return value;
    if (process.platform === "linux") throw new Error(`${bench}: the figure '${name}' is ${value}`);
    return undefined;
  };
  console.log(JSON.stringify({ bench, ...figures }, withoutGaps));
}
