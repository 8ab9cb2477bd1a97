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

/** The share of the processor that may go to others while something is measured. */
const mostStolen = 0.03;

/** Starts watching; the function it returns tells whether what was measured since then was disturbed, never where nobody knows. */
export function watchSteal() {
  const before = ticks();
  return () => {
    const after = ticks();
    if (before === undefined || after === undefined || after.all === before.all) return false;
    return (after.stolen - before.stolen) / (after.all - before.all) > mostStolen;
  };
}
