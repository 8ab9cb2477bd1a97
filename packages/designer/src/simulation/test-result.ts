// Test results in the format of the page, from the simulation or the runtime.
import type { FlowTestFileError, FlowTestResult } from "@sluice/flow-tests/portable";

export interface TestFile {
  readonly id: string;
  readonly text: string;
}

export interface TestResult {
  readonly name: string;
  readonly line: number;
  readonly failures: readonly string[];
  readonly durationMs: number;
  /** `routeId/stepId` of every step that the messages passed. */
  readonly visited: readonly string[];
}

export interface FileResult {
  readonly id: string;
  /** Errors in the file itself. */
  readonly problems: readonly string[];
  readonly tests: readonly TestResult[];
}

export function toTestResult({ name, line, failures, durationMs, runs }: FlowTestResult): TestResult {
  const visited = new Set(runs.flatMap(({ routeId, steps }) => steps.map(({ stepId }) => `${routeId}/${stepId}`)));
  return { name, line, failures, durationMs, visited: [...visited] };
}

export const fileProblems = ({ problems }: FlowTestFileError): readonly string[] =>
  problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
