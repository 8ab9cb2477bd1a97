import { shareOf } from "../coverage.ts";
import type { Reporter, Write } from "../report.ts";

export function jsonReporter(write: Write): Reporter {
  return {
    finish({ coverage, files, ...counts }) {
      const report = {
        ...counts,
        files: files.map(({ path, startedAt, durationMs, results, problems }) => ({
          path,
          startedAt: startedAt.toISOString(),
          durationMs,
          problems,
          tests: results.map(({ name, line, failures, durationMs: testDurationMs }) => ({
            name,
            line,
            passed: failures.length === 0,
            failures,
            durationMs: testDurationMs,
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
