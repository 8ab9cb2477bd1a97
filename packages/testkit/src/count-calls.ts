// Measures the complexity of code by counting, so that the result does not depend on the machine or its load.
import { Session, type Profiler } from "node:inspector";
import { setFlagsFromString } from "node:v8";

/**
 * The number of JavaScript function calls that `work` causes, as counted by V8. Functions written in C++, such as `String.prototype.indexOf` and the
 * matching of regular expressions, are not counted.
 */
export async function countCalls(work: () => unknown): Promise<number> {
  const [calls] = await countEach([work]);
  return calls as number;
}

/**
 * The factor by which the number of calls grows when the size of the input grows eightfold: about 8 when it grows in proportion to the input, 64 when
 * it grows with the square.
 */
export async function callGrowth(work: (size: number) => unknown, size: number): Promise<number> {
  // The first run fills caches and compiles what is compiled once.
  const [, small, large] = await countEach([() => work(size), () => work(size), () => work(8 * size)]);
  return (large as number) / (small as number);
}

/** Counting is started once for all, because that discards the optimized code of the whole process. */
async function countEach(works: readonly (() => unknown)[]): Promise<readonly number[]> {
  const session = new Session();
  session.connect();
  // Optimized code does not count calls.
  setFlagsFromString("--no-opt");
  try {
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    takeCounts(session);
    const counts: number[] = [];
    for (const work of works) {
      await work();
      counts.push(takeCounts(session));
    }
    return counts;
  } finally {
    setFlagsFromString("--opt");
    session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}

/** The calls since the last time. */
function takeCounts(session: Session): number {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // Within one thread the callback runs before `post` returns.
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    scripts = result;
  });
  return scripts.flatMap(({ functions }) => functions).reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}
