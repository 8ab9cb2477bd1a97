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
          tests: results.map(({ name, line, faults: testFaults, durationMs: testDurationMs }) => ({
            name,
            line,
            passed: testFaults.length === 0,
            faults: testFaults,
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
