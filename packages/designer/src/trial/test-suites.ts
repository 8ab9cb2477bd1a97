// All tests of the workspace, one suite per flow, run in the page on the saved flows.
import { workspaceClient } from "../api-client/workspace-client.ts";
import { currentCatalog } from "../catalog/use-catalog.ts";
import { runtimeConnectorsOf } from "../simulation/runtime-connectors.ts";
import { SimulationStopped, type Simulator } from "../simulation/simulator.ts";
import type { FileResult, TestFile } from "../simulation/test-result.ts";

export interface Suite {
  readonly flowId: string;
  readonly name: string;
  readonly files: readonly TestFile[];
}

/** The flows with tests, ordered by name. */
export async function loadSuites(): Promise<readonly Suite[]> {
  const flows = await workspaceClient.flows();
  const suites = await Promise.all(flows.map(async ({ id, name }) => ({ flowId: id, name: name ?? id, files: await workspaceClient.tests(id) })));
  return suites.filter(({ files }) => files.length > 0).toSorted((left, right) => left.name.localeCompare(right.name));
}

/** Reads the flow and the mappings from disk, so that the saved version is tested. Also reads the tests unless `testFiles` contains them. */
export async function runSuite(simulator: Simulator, flowId: string, timeoutMessage: string, testFiles?: readonly TestFile[]): Promise<readonly FileResult[]> {
  const texts = async (kind: string): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await workspaceClient.documents(kind)).map(({ id, text }) => [id, text]));
  const [flow, files, tables, mappings] = await Promise.all([
    workspaceClient.flow(flowId),
    testFiles ?? workspaceClient.tests(flowId),
    texts("value-mappings"),
    texts("message-mappings"),
  ]);
  return simulator
    .run("tests", { flowId, source: flow.text, tables, mappings, files, runtimeConnectors: runtimeConnectorsOf(currentCatalog()?.view) })
    .catch((error: Error) => {
      const problem = error instanceof SimulationStopped && error.reason === "timeout" ? timeoutMessage : error.message;
      return files.map(({ id }) => ({ id, problems: [problem], tests: [] }));
    });
}

export interface Tally {
  readonly passed: number;
  readonly total: number;
}

/** A file with problems counts as one failed test. */
export function tallyOf(files: readonly FileResult[]): Tally {
  const tests = files.flatMap((file) => [...(file.problems.length > 0 ? [file.problems] : []), ...file.tests.map(({ failures }) => failures)]);
  return { passed: tests.filter((failures) => failures.length === 0).length, total: tests.length };
}
