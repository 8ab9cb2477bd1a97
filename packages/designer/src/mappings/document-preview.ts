// Parses and compiles a message-mapping document as the user types, and runs it on a sample, with the same code as the runtime.
import { compileMapping, documentText, type CompiledMapping, type FieldError, type MappingEnvironment, type Problem } from "@sluice/mapping";
import { parseDocument } from "yaml";

export interface DocumentSyntaxError {
  readonly message: string;
  /** Offset in the text. */
  readonly at: number;
}

export type ReadDocument = { readonly document: Readonly<Record<string, unknown>> } | { readonly syntaxError: DocumentSyntaxError };

/** Parses a document from JSON or YAML. */
export function readDocument(text: string): ReadDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const parsed = parseDocument(text, { prettyErrors: false });
    const [error] = parsed.errors;
    if (error !== undefined) return { syntaxError: { message: error.message, at: error.pos[0] } };
    try {
      value = parsed.toJS({ maxAliasCount: 100 }) as unknown;
    } catch (error) {
      return { syntaxError: { message: (error as Error).message, at: 0 } };
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { syntaxError: { message: "a document must be an object with source, target and map", at: 0 } };
  return { document: value as Readonly<Record<string, unknown>> };
}

export interface Preview {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly errors: readonly FieldError[];
  /** Undefined if there is no sample or it could not be mapped. If there are errors, the failing fields are omitted. */
  readonly output: string | undefined;
}

const noHeaders = { get: () => undefined, toObject: () => ({}) };

export function previewDocument(document: unknown, sample: string, environment: MappingEnvironment, now: number): Preview {
  const { mapping, problems, warnings } = compileMapping(document, environment);
  if (mapping === undefined || sample.trim() === "") return { problems, warnings, errors: [], output: undefined };
  const { output, errors } = mapping.run({ body: sample, headers: noHeaders, params: {}, now });
  if (errors.length === 0) return { problems, warnings, errors, output: shownOutput(output, mapping) };
  const rest = withoutRules(document, new Set(errors.map(({ rule }) => rule)));
  // An error that affects the whole message has no rule.
  return { problems, warnings, errors, output: rest === undefined ? undefined : previewDocument(rest, sample, environment, now).output };
}

/** The document without these rules, such as `map[6].map[3]`; undefined when nothing is removed. */
function withoutRules(document: unknown, rulePaths: ReadonlySet<string>): unknown {
  let isChanged = false;
  const without = (rules: unknown, at: string): unknown =>
    !Array.isArray(rules)
      ? rules
      : (rules as readonly unknown[]).flatMap((rule, index) => {
          const path = `${at}[${index}]`;
          if (rulePaths.has(path)) {
            isChanged = true;
            return [];
          }
          const members = rule as Readonly<Record<string, unknown>>;
          return [
            typeof rule === "object" && rule !== null && members["map"] !== undefined ? { ...members, map: without(members["map"], `${path}.map`) } : rule,
          ];
        });
  const members = document as Readonly<Record<string, unknown>>;
  const target = members["target"] as Readonly<Record<string, unknown>> | undefined;
  // Without its schema, the target does not require the removed fields.
  const next = { ...members, target: { ...target, schema: undefined, sample: undefined }, tests: undefined, map: without(members["map"], "map") };
  return isChanged ? (JSON.parse(JSON.stringify(next)) as unknown) : undefined;
}

/** The document with the displayed sample instead of the saved one, so that its paths are checked against what the user sees. */
export function withSample(document: Readonly<Record<string, unknown>>, sample: string): Readonly<Record<string, unknown>> {
  const source = document["source"] as Readonly<Record<string, unknown>> | undefined;
  if (source?.["sample"] === undefined || sample.trim() === "") return document;
  return { ...document, source: { ...source, sample: jsonOrText(sample) } };
}

const shownOutput = (output: unknown, { target }: CompiledMapping): string =>
  typeof output === "string" ? output : target === "json" || typeof output === "object" ? documentText(output) : String(output);

/** The sample of a document: its own, else the input of its first test. */
export function sampleOf(document: Readonly<Record<string, unknown>>): string {
  const source = document["source"] as { readonly sample?: unknown } | undefined;
  const [first] = testsOf(document);
  const sample = source?.sample ?? first?.["input"];
  return sample === undefined ? "" : typeof sample === "string" ? sample : documentText(sample);
}

export interface TestResult {
  readonly name: string;
  /** Undefined when it passed. */
  readonly failure: string | undefined;
}

/** Runs the tests of the document; a failed result contains the first difference. Undefined when the document itself is invalid. */
export function runDocumentTests(document: Readonly<Record<string, unknown>>, environment: MappingEnvironment): readonly TestResult[] | undefined {
  if (compileMapping(document, environment).mapping === undefined) return undefined;
  const { problems } = compileMapping(document, environment, { runTests: true });
  return testsOf(document).map((test, index) => {
    const name = typeof test["name"] === "string" ? test["name"] : String(index + 1);
    const start = `test '${name}' failed: `;
    const found = problems.find(({ path, message }) => message.startsWith(start) || path === `tests[${index}]`);
    return { name, failure: found?.message.replace(start, "") };
  });
}

/** Adds the sample and its output to the document as a test. */
export function withTest(document: Readonly<Record<string, unknown>>, input: string, output: string): string {
  const tests = testsOf(document);
  const test = { name: `sample ${tests.length + 1}`, input: jsonOrText(input), output: jsonOrText(output) };
  return documentText({ ...document, tests: [...tests, test] });
}

function testsOf(document: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { tests } = document;
  return Array.isArray(tests) ? tests.filter((test): test is Readonly<Record<string, unknown>> => typeof test === "object" && test !== null) : [];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
