import type { FileReport, TestReport } from "../report.ts";

/** A run of a test with a failure. */
export const sampleRun = {
  id: "run_1",
  routeId: "orders",
  status: "failed",
  startedAt: "",
  error: { type: "x", message: "boom <&>", stepId: "a" },
  steps: [{ stepId: "a", kind: "to", status: "failed", durationMs: 1.5 }],
};
const good = { name: 'says "hi" & <bye>', line: 3, failures: [], durationMs: 12, runs: [sampleRun], reply: undefined };
const bad = { name: "fails # loudly", line: 7, failures: ["expected status completed,\ngot \u0007failed"], durationMs: 1_500, runs: [], reply: undefined };
const files: readonly FileReport[] = [
  { path: "orders/test.yaml", startedAt: new Date("2026-11-14T16:02:33.120Z"), durationMs: 1_600, results: [good, bad], problems: [] },
  {
    path: "broken.yaml",
    startedAt: new Date("2026-11-14T16:02:34.120Z"),
    durationMs: 1,
    results: [],
    problems: [{ line: 2, column: 5, message: "unknown assertion 'stauts'" }],
  },
];
/** A report with a passed and a failed test, and a file that could not run. */
const sampleReport: TestReport = { files, passed: 1, failed: 1, broken: 1, durationMs: 1_700, coverage: undefined };

/** The text that a reporter writes. */
export function render(create: (write: (text: string) => void) => { finish(report: TestReport): void }, input = sampleReport): string {
  let text = "";
  create((part) => (text += `${part}\n`)).finish(input);
  return text;
}
