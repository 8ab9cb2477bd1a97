// The input of reporters.
import type { FlowTestResult } from "@sluice/flow-tests";
import type { FlowCoverage } from "./coverage.ts";

export interface FileReport {
  readonly path: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly results: readonly FlowTestResult[];
  /** Why the tests of the file could not run. */
  readonly problems: readonly FileProblem[];
}

export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface TestReport {
  readonly files: readonly FileReport[];
  readonly passed: number;
  readonly failed: number;
  /** Files whose tests could not run. */
  readonly broken: number;
  readonly durationMs: number;
  readonly coverage: readonly FlowCoverage[] | undefined;
}

export type Write = (text: string) => void;

export interface Reporter {
  /** Called when a file is done. */
  file?(report: FileReport): void;
  finish(report: TestReport): void;
}
