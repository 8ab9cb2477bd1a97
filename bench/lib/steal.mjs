// Detects CPU time that other virtual machines took from this one (steal). A round with too much of it is not comparable with others.
import { readFileSync } from "node:fs";

/** CPU ticks so far, and how many of them were stolen; undefined where it is not available. */
function ticks() {
  try {
    const fields = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: fields.reduce((sum, field) => sum + field, 0), stolen: fields[7] };
  } catch {
    return undefined;
  }
}

/** The fraction of steal time that is tolerated during a measurement. */
const maxStolen = 0.03;

/** Starts watching. The returned function reports whether too much time was stolen since then, and always false where this is unknown. */
export function watchSteal() {
  const before = ticks();
  return () => {
    const after = ticks();
    if (before === undefined || after === undefined || after.all === before.all) return false;
    return (after.stolen - before.stolen) / (after.all - before.all) > maxStolen;
  };
}
