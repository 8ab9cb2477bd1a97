// Processor time the host kept for others: a round it disturbed says nothing about either server.
import { readFileSync } from "node:fs";

/** Ticks so far, and how many of them were stolen; undefined where the system does not tell. */
function ticks() {
  try {
    const fields = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: fields.reduce((sum, field) => sum + field, 0), stolen: fields[7] };
  } catch {
    return undefined;
  }
}

/** Starts watching; the function it returns gives the stolen share since then, 0 where nobody knows. */
export function watchSteal() {
  const before = ticks();
  return () => {
    const after = ticks();
    return before === undefined || after === undefined || after.all === before.all ? 0 : (after.stolen - before.stolen) / (after.all - before.all);
  };
}
