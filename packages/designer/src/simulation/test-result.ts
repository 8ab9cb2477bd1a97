// Test results in the format of the page, from the simulation or the runtime.
import type { FlowTestFileError, FlowTestResult } from "@sluice/flow-tests/portable";

export interface TestFile {
  readonly id: string;
  readonly text: string;
}

export interface TestResult {
  readonly name: string;
  readonly line: number;
  readonly faults: readonly string[];
  readonly durationMs: number;
  /** `routeId/stepId` of every step that the messages passed. */
  readonly visited: readonly string[];
}

export interface FileResult {
  readonly id: string;
  /** Errors in the file itself. */
  readonly faults: readonly string[];
  readonly tests: readonly TestResult[];
}

export function toTestResult({ name, line, faults, durationMs, runs }: FlowTestResult): TestResult {
  const visited = new Set(runs.flatMap(({ routeId, steps }) => steps.map(({ stepId }) => `${routeId}/${stepId}`)));
  return { name, line, faults, durationMs, visited: [...visited] };
}

export const fileFaults = ({ faults }: FlowTestFileError): readonly string[] =>
  faults.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
