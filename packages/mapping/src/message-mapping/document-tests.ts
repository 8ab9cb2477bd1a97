// The tests inside a document: run at installation, so that a document that fails its own tests is rejected.
import { Headers } from "@sluice/engine/spi";
import { asJson, isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { formatValue, unknownProperties, type Problem } from "../problem.ts";
import { documentTestSchema, maxDocumentTests } from "./document-schema.ts";
import { runLimits } from "./frame.ts";
import type { CompiledMapping, MappingResult } from "./run-mapping.ts";

/** Tests use a fixed date, so that their results do not depend on the current date. */
const testTime = 1_700_000_000_000;

export function failingTests(tests: unknown, mapping: CompiledMapping): readonly Problem[] {
  if (tests === undefined) return [];
  if (!Array.isArray(tests) || tests.length > maxDocumentTests)
    return [{ path: "tests", message: `expected a list of up to ${maxDocumentTests} tests with name, input and output` }];
  const problems: Problem[] = [];
  let work = 0;
  for (const [index, test] of (tests as readonly unknown[]).entries()) {
    if (!isPlainObject(test) || !Object.hasOwn(test, "input") || (!Object.hasOwn(test, "output") && typeof test["error"] !== "string")) {
      problems.push({ path: `tests[${index}]`, message: "a test needs 'input' and either 'output' or 'error'" });
      continue;
    }
    const faults = shapeFaults(test);
    if (faults.length > 0) {
      problems.push(...faults.map((message) => ({ path: `tests[${index}]`, message })));
      continue;
    }
    const now = test["now"] === undefined ? testTime : typeof test["now"] === "string" ? Date.parse(test["now"]) : Number.NaN;
    if (Number.isNaN(now)) {
      problems.push({ path: `tests[${index}].now`, message: 'expected a date such as "2024-02-03T04:05:06Z"' });
      continue;
    }
    const result = resultOf(test, now, mapping);
    const failure = failureOf(test, result);
    const name = typeof test["name"] === "string" ? test["name"] : String(index + 1);
    if (failure !== undefined) problems.push({ path: "", message: `test '${name}' failed: ${failure}` });
    work += result.work;
    // Tests block the event loop: together they may use the work budget of one message.
    if (work <= runLimits.work) continue;
    if (failure === undefined) problems.push({ path: "tests", message: `all tests together take more than ${runLimits.work} steps` });
    break;
  }
  return problems;
}

const testMembers = memberNames(documentTestSchema);

function shapeFaults(test: Readonly<Record<string, unknown>>): readonly string[] {
  const wrong = ["headers", "params"].filter((name) => test[name] !== undefined && !isPlainObject(test[name]));
  return [...unknownProperties(test, testMembers), ...wrong.map((name) => `'${name}' must be an object`)];
}

function resultOf({ input, headers, params }: Readonly<Record<string, unknown>>, now: number, mapping: CompiledMapping): MappingResult {
  return mapping.run({
    body: input,
    headers: Headers.of(isPlainObject(headers) ? headers : {}),
    params: isPlainObject(params) ? params : {},
    now,
  });
}

function failureOf({ output, error }: Readonly<Record<string, unknown>>, result: MappingResult): string | undefined {
  const messages = result.errors.map(({ message }) => message).join("; ");
  if (typeof error === "string")
    return messages.includes(error) ? undefined : `expected the error ${formatValue(error)}, got ${messages === "" ? "an output" : formatValue(messages, 200)}`;
  if (messages !== "") return messages;
  return difference(output, typeof result.output === "string" ? result.output : (JSON.parse(asJson(result.output)) as unknown), "");
}

/** The first difference between two JSON values, as a sentence; undefined when they are equal. */
function difference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (expected === actual) return undefined;
  const prefix = path === "" ? "" : `${path}: `;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return `${prefix}expected a list of length ${expected.length}, got length ${actual.length}`;
    return firstOf(expected.map((item, index) => () => difference(item, actual[index], `${path}[${index}]`)));
  }
  if (isPlainObject(expected) && isPlainObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return firstOf(names.map((name) => () => difference(memberOf(expected, name), memberOf(actual, name), path === "" ? name : `${path}.${name}`)));
  }
  return `${prefix}expected ${formatValue(expected)}, got ${formatValue(actual)}`;
}

const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}
