// The reference figures of bench/baseline.json: `less` and `more` are figures that are better when smaller and larger.
import { bestFiguresOf, median } from "./figures.mjs";

export const directionsOf = ({ less = {}, more = {} }) =>
  Object.fromEntries([...Object.keys(less).map((path) => [path, "less"]), ...Object.keys(more).map((path) => [path, "more"])]);

const referenceOf = (bench, path) => bench.less?.[path] ?? bench.more[path];

/** How much worse a figure is than its reference, as a fraction; negative when it is better. */
const worseBy = (bench, path, value) => (bench.less?.[path] === undefined ? bench.more[path] / value - 1 : value / bench.less[path] - 1);

/** The figures that `measure` returns beside their references, up to three runs; undefined when this machine cannot run the benchmark. */
export async function compareFigures(measure, bench, margin) {
  const figures = await bestFiguresOf(measure, directionsOf(bench), (path, value) => worseBy(bench, path, value) <= margin);
  return (
    figures &&
    Object.entries(figures).map(([path, value]) => {
      const worse = worseBy(bench, path, value);
      return { path, baseline: referenceOf(bench, path), now: value, worse, isWorse: worse > margin };
    })
  );
}

/** Replaces the references by the medians of three runs; undefined when this machine cannot run the benchmark. */
export async function updateFigures(measure, bench) {
  const runs = [await measure(), await measure(), await measure()];
  if (runs.includes(undefined)) return undefined;
  return Object.entries(directionsOf(bench)).map(([path, direction]) => {
    const baseline = bench[direction][path];
    bench[direction][path] = Number(median(runs.map((figures) => figures[path])).toFixed(3));
    return { path, baseline, now: bench[direction][path] };
  });
}
