// The budgets of bench/budgets.json: maximum values of figures.
import { readFileSync } from "node:fs";
import { bestFiguresOf } from "./figures.mjs";

export function readBudgets() {
  const { about: _, ...budgets } = JSON.parse(readFileSync(new URL("../budgets.json", import.meta.url), "utf8"));
  return budgets;
}

/**
 * Compares the figures that `measure` returns with their maximum values, times a tolerance. A figure beyond its limit is measured again, at most twice, and
 * only exceeds it if every run does. Undefined when this machine cannot run the benchmark.
 */
export async function checkBudgets(measure, max, tolerance = 1) {
  const isWithin = (path, value) => value <= max[path] * tolerance;
  const best = await bestFiguresOf(measure, Object.fromEntries(Object.keys(max).map((path) => [path, "less"])), isWithin);
  return best && Object.entries(best).map(([path, value]) => ({ path, value, limit: max[path] * tolerance, isWithin: isWithin(path, value) }));
}

/** A line for people. */
export const budgetLine = (name, { path, value, limit, isWithin }) => `${name} ${path}: ${value.toFixed(2)}, at most ${limit}: ${isWithin ? "ok" : "EXCEEDED"}`;
