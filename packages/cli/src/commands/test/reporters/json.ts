import { shareOf } from "../coverage.ts";
import type { Reporter, Write } from "../report.ts";

export function jsonReporter(write: Write): Reporter {
  return {
    finish({ coverage, files, ...counts }) {
      const report = {
        ...counts,
        files: files.map(({ path, startedAt, durationMs, results, faults }) => ({
          path,
          startedAt: startedAt.toISOString(),
          durationMs,
          faults,
          tests: results.map(({ name, line, faults: wrong, durationMs: took }) => ({
            name,
            line,
            passed: wrong.length === 0,
            faults: wrong,
            durationMs: took,
          })),
        })),
        ...(coverage === undefined
          ? {}
          : { coverage: coverage.map((flow) => ({ ...flow, stepShare: shareOf(flow.steps), branchShare: shareOf(flow.branches) })) }),
      };
      write(JSON.stringify(report, undefined, 2));
    },
  };
}
