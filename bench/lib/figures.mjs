// The figures of a benchmark, of one run or several.

const tries = 3;
const better = { less: Math.min, more: Math.max };

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The figures at these paths; each must be a number. */
export function figuresAt(result, paths) {
  return Object.fromEntries(
    paths.map((path) => {
      const value = path.split(".").reduce((part, name) => part?.[name], result);
      if (typeof value !== "number") throw new Error(`${result.bench} reports no ${path}`);
      return [path, value];
    }),
  );
}

/**
 * The best figures of up to three calls of `measure`; `directions` defines per path which is better, `less` or `more`. Runs are repeated while a figure
 * is not acceptable, because noise differs from run to run and a slower hot path does not.
 */
export async function bestFiguresOf(measure, directions, isAcceptable) {
  let best;
  for (let count = 0; count < tries; count++) {
    const figures = await measure();
    if (figures === undefined) return undefined;
    best =
      best === undefined ? figures : Object.fromEntries(Object.entries(figures).map(([path, value]) => [path, better[directions[path]](best[path], value)]));
    if (Object.entries(best).every(([path, value]) => isAcceptable(path, value))) break;
  }
  return best;
}
