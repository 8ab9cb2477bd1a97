// The tests of a flow, run on the flow as it is being written.
import { FlowTestFileError, readFlowTests, runFlowTest } from "@sluice/flow-tests";
import { simulatedTransport } from "./simulated-transport.ts";
import type { SimulatedFlow } from "./simulated-runtime.ts";
import { fileFaults, verdictOf, type FileVerdict, type TestFile, type TestVerdict } from "./test-verdict.ts";

export interface TestsRequest extends SimulatedFlow {
  readonly files: readonly TestFile[];
}

/** A simulation settles before it answers: there is nothing to wait for. */
const patienceMs = 1;

export async function simulateTests({ files, ...flow }: TestsRequest): Promise<readonly FileVerdict[]> {
  const verdicts: FileVerdict[] = [];
  for (const { id, text } of files) verdicts.push(await simulateFile(flow, id, text));
  return verdicts;
}

async function simulateFile(flow: SimulatedFlow, id: string, text: string): Promise<FileVerdict> {
  try {
    const file = readFlowTests(text);
    const params = { ...flow.params, ...textsOf(file.params) };
    const tables = { ...flow.tables, ...documentsOf(file.valueMappings) };
    const mappings = { ...flow.mappings, ...documentsOf(file.messageMappings) };
    const transport = simulatedTransport({ ...flow, params, tables, mappings });
    const tests: TestVerdict[] = [];
    for (const test of file.tests) tests.push(verdictOf(await runFlowTest(transport, { ...test, timeoutMs: patienceMs }, file.defaults)));
    return { id, faults: [], tests };
  } catch (error) {
    return { id, faults: error instanceof FlowTestFileError ? fileFaults(error) : [(error as Error).message], tests: [] };
  }
}

function textsOf(values: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Documents that stand in the test itself; those in files beside it are the workspace's own, by the same id. */
function documentsOf(documents: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(documents).flatMap(([id, document]) => (typeof document === "string" ? [] : [[id, JSON.stringify(document)]])));
}
