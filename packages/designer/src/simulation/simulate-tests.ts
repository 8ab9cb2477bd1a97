// Runs the tests of a flow on the text being edited.
import { runTestFile } from "./run-test-file.ts";
import { simulatedTransport } from "./simulated-transport.ts";
import type { SimulatedFlow } from "./simulated-runtime.ts";
import type { FileVerdict, TestFile } from "./test-verdict.ts";

export interface TestsRequest extends SimulatedFlow {
  readonly files: readonly TestFile[];
}

/** A simulation settles before it responds, so there is no need to wait. */
const mockTimeoutMs = 1;

export async function simulateTests({ files, ...flow }: TestsRequest): Promise<readonly FileVerdict[]> {
  const verdicts: FileVerdict[] = [];
  for (const file of files)
    verdicts.push(
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
  return verdicts;
}

function textsOf(values: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Documents defined in the test itself; those in files are workspace documents with the same id. */
function documentsOf(documents: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(documents).flatMap(([id, document]) => (typeof document === "string" ? [] : [[id, JSON.stringify(document)]])));
}
