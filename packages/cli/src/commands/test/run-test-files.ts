import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FlowTestFileError, readFlowTests, runFlowTest, type FlowTestResult, type RunView } from "@sluice/flow-tests";
import { readConfiguration } from "@sluice/server/config";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import { projectResourceFolders } from "../../files/project-resource-folders.ts";
import type { YamlFile } from "../../files/yaml-files.ts";
import { readText } from "../../files/yaml-files.ts";
import type { FlowCoverage } from "./coverage.ts";
import type { FileProblem, FileReport, TestReport } from "./report.ts";
import type { RuntimeUnderTest, Subject } from "./runtime-under-test.ts";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";
import { updateExpectations } from "./update-expectations.ts";

export interface TestRunOptions {
  readonly filter: string | undefined;
  readonly coverage: boolean;
  /** Replace failed reply expectations with the actual replies. */
  readonly update: boolean;
  readonly signal: AbortSignal;
  progress(text: string): void;
  done(file: FileReport): void;
}

interface CoverageInput {
  readonly subject: Subject;
  /** By test file: a file that runs again replaces the runs of its first pass. */
  readonly runsByFile: Map<string, readonly RunView[]>;
}

export async function runTestFiles(files: readonly YamlFile[], runtime: RuntimeUnderTest, options: TestRunOptions): Promise<TestReport> {
  const startTime = performance.now();
  const reports: FileReport[] = [];
  const inputs = new Map<string, CoverageInput>();
  for (const [index, file] of files.entries()) {
    options.signal.throwIfAborted();
    options.progress(`${index + 1}/${files.length} ${file.path}`);
    const report = await updateAndRerun(file, await runTestFile(file, runtime, options, inputs), runtime, options, inputs);
    if (report.results.length === 0 && report.problems.length === 0) continue;
    reports.push(report);
    options.done(report);
  }
  const results = reports.flatMap((report) => report.results);
  return {
    files: reports,
    passed: results.filter(({ failures }) => failures.length === 0).length,
    failed: results.filter(({ failures }) => failures.length > 0).length,
    broken: reports.filter(({ problems }) => problems.length > 0).length,
    durationMs: Math.round(performance.now() - startTime),
    coverage: options.coverage ? await computeCoverage(inputs) : undefined,
  };
}

/** Runs the file again after its expectations were updated. */
async function updateAndRerun(
  file: YamlFile,
  report: FileReport,
  runtime: RuntimeUnderTest,
  options: TestRunOptions,
  inputs: Map<string, CoverageInput>,
): Promise<FileReport> {
  const text = options.update ? updateExpectations(file.text, report.results) : file.text;
  if (text === file.text) return report;
  await writeFile(file.path, text);
  return runTestFile({ ...file, text }, runtime, options, inputs);
}

async function runTestFile(
  { path, text }: YamlFile,
  runtime: RuntimeUnderTest,
  options: TestRunOptions,
  inputs: Map<string, CoverageInput>,
): Promise<FileReport> {
  const startedAt = new Date();
  const startTime = performance.now();
  const results: FlowTestResult[] = [];
  const done = (problems: readonly FileProblem[]): FileReport => ({
    path,
    startedAt,
    durationMs: Math.round(performance.now() - startTime),
    results,
    problems,
  });
  try {
    const file = readFlowTests(text);
    const tests = file.tests.filter(({ name }) => options.filter === undefined || name.includes(options.filter));
    if (tests.length === 0) return done([]);
    const subject = await runtime.prepare(path, file);
    const runsByFile = inputs.get(subject.flowId)?.runsByFile ?? new Map<string, readonly RunView[]>();
    const runs: RunView[] = [];
    runsByFile.set(path, runs);
    inputs.set(subject.flowId, { subject, runsByFile });
    for (const test of tests) {
      options.signal.throwIfAborted();
      const result = await runFlowTest(runtime.transport, test, file.defaults, { readFile: (name) => readText(join(dirname(path), name)) });
      results.push(result);
      if (options.coverage) runs.push(...result.runs);
    }
    return done([]);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    if (error instanceof FlowTestFileError) return done(error.problems);
    return done([{ line: 1, column: 1, message: (error as Error).message }]);
  }
}

async function computeCoverage(inputs: ReadonlyMap<string, CoverageInput>): Promise<readonly FlowCoverage[]> {
  const { createFlowChecker, findKameletFolders, findResourceFolders, maySkipSteps } = await import("@sluice/server/check");
  const { coverageOf } = await import("./coverage.ts");
  const { settings } = readConfiguration();
  const check = createFlowChecker(await operatorPlugins(), { kamelets: findKameletFolders(settings), resources: findResourceFolders(settings) });
  const found: FlowCoverage[] = [];
  for (const { subject, runsByFile } of inputs.values()) {
    const files = subject.file === undefined ? [] : [subject.file];
    const { flow } = await check({
      id: subject.flowId,
      source: subject.source,
      property: () => "0",
      kamelets: projectKameletFolders(files),
      resources: projectResourceFolders(files),
    });
    found.push(coverageOf({ flowId: subject.flowId, file: subject.file }, flow, [...runsByFile.values()].flat(), maySkipSteps));
  }
  return found;
}
