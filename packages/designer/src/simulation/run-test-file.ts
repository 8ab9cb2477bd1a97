// Runs one test file against a runtime or a simulation.
import "./disable-schema-jit.ts";
import { FlowTestFileError, readFlowTests, runFlowTest, type FlowTestFile, type LoggedLine, type RuntimeTransport } from "@sluice/flow-tests/portable";
import { fileProblems, toTestResult, type FileResult, type TestFile, type TestResult } from "./test-result.ts";

export type Transport = RuntimeTransport;
export type TransportLine = LoggedLine;

export interface TestFileOptions {
  /** Timeout for mock calls; overrides that of the test. */
  readonly mockTimeoutMs?: number;
}

/** `transport` may depend on the content of the file, such as its parameters and mappings. */
export async function runTestFile(
  transport: RuntimeTransport | ((file: FlowTestFile) => RuntimeTransport),
  { id, text }: TestFile,
  { mockTimeoutMs }: TestFileOptions = {},
): Promise<FileResult> {
  try {
    const file = readFlowTests(text);
    const runtime = typeof transport === "function" ? transport(file) : transport;
    const tests: TestResult[] = [];
    for (const test of file.tests) tests.push(toTestResult(await runFlowTest(runtime, test, file.defaults, { mockTimeoutMs })));
    return { id, problems: [], tests };
  } catch (error) {
    return { id, problems: error instanceof FlowTestFileError ? fileProblems(error) : [(error as Error).message], tests: [] };
  }
}
