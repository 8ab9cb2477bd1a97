// Runs the tests of a flow on the text being edited.
import { runTestFile } from "./run-test-file.ts";
import { simulatedTransport } from "./simulated-transport.ts";
import type { SimulatedFlow } from "./simulated-runtime.ts";
import type { FileResult, TestFile } from "./test-result.ts";

export interface TestsRequest extends SimulatedFlow {
  readonly files: readonly TestFile[];
}

/** A simulation settles before it responds, so there is no need to wait. */
const mockTimeoutMs = 1;

export async function simulateTests({ files, ...flow }: TestsRequest): Promise<readonly FileResult[]> {
  const results: FileResult[] = [];
  for (const file of files)
    results.push(
      await runTestFile(
        ({ params, valueMappings, messageMappings }) =>
          simulatedTransport({
            ...flow,
            params: { ...flow.params, ...textsOf(params) },
            tables: { ...flow.tables, ...documentsOf(valueMappings) },
            mappings: { ...flow.mappings, ...documentsOf(messageMappings) },
          }),
        file,
        { mockTimeoutMs },
      ),
    );
  return results;
}

function textsOf(values: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Documents defined in the test itself; those in files are workspace documents with the same id. */
function documentsOf(documents: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(documents).flatMap(([id, document]) => (typeof document === "string" ? [] : [[id, JSON.stringify(document)]])));
}
