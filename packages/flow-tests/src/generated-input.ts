// Property tests: many bodies that a JSON Schema allows are tried; the first that fails is shrunk to the smallest failing one.
import type { When } from "./flow-test-shape.ts";

/** Thrown when the test fails for an input; any other error is rethrown after the search. */
class FailingInput extends Error {}

type Attempt = (calls: readonly When[]) => Promise<readonly string[]>;

/** The errors of the smallest failing input, with the input itself; none when every input passed. */
export async function findCounterexample(
  calls: readonly When[],
  attempt: Attempt,
  { readFile }: { readFile?(path: string): Promise<string> },
): Promise<readonly string[]> {
  const { default: fc } = await import("fast-check");
  const { arbitraryOf } = await import("./schema-arbitrary.ts");
  const spec = calls.find(({ generate }) => generate !== undefined)?.generate;
  if (spec === undefined) return attempt(calls);
  const schema = typeof spec.schema === "string" ? await readSchema(spec.schema, readFile) : spec.schema;
  let failures: readonly string[] = [];
  const property = fc.asyncProperty(arbitraryOf(fc, schema), async (body) => {
    const found = await attempt(calls.map(({ generate, ...call }) => (generate === undefined ? call : { ...call, body }) as When));
    if (found.length === 0) return;
    failures = found;
    throw new FailingInput();
  });
  const result = await fc.check(property, { numRuns: spec.runs, ...(spec.seed === undefined ? {} : { seed: spec.seed }) });
  if (!result.failed) return [];
  if (result.errorInstance instanceof Error && !(result.errorInstance instanceof FailingInput)) throw result.errorInstance;
  const [smallest] = result.counterexample ?? [];
  const description = `with the generated body ${JSON.stringify(smallest)} (run ${result.numRuns} of ${spec.runs}, shrunk ${result.numShrinks} times, seed ${result.seed})`;
  return failures.map((failure) => `${failure}; ${description}`);
}

async function readSchema(path: string, readFile: ((path: string) => Promise<string>) | undefined): Promise<unknown> {
  if (readFile === undefined) throw new Error(`the schema '${path}' cannot be read here: put the schema into the test file`);
  const text = await readFile(path);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`the schema '${path}' is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
