// The tests a document carries: run when it is installed, so that a document that does not do what it says is refused.
import { asJson, Headers, isPlainObject } from "@sluice/engine/spi";
import { shown, type Problem } from "../problem.ts";
import type { CompiledMapping } from "./run-mapping.ts";

const mostTests = 1000;
/** Tests see a fixed day, so that they give the same result every day. */
const testDay = 1_700_000_000_000;

export function failingTests(tests: unknown, mapping: CompiledMapping): readonly Problem[] {
  if (tests === undefined) return [];
  if (!Array.isArray(tests) || tests.length > mostTests)
    return [{ path: "tests", message: `expected a list of up to ${mostTests} tests with name, input and output` }];
  return tests.flatMap((test: unknown, index) => {
    if (!isPlainObject(test) || !Object.hasOwn(test, "input") || (!Object.hasOwn(test, "output") && typeof test["error"] !== "string"))
      return [{ path: `tests[${index}]`, message: "a test needs input, and output or the text of an error" }];
    const failure = failureOf(test, mapping);
    const name = typeof test["name"] === "string" ? test["name"] : String(index + 1);
    return failure === undefined ? [] : [{ path: "", message: `test '${name}' failed: ${failure}` }];
  });
}

function failureOf(test: Readonly<Record<string, unknown>>, mapping: CompiledMapping): string | undefined {
  const { input, output, headers, params, error } = test;
  const now = typeof test["now"] === "string" ? Date.parse(test["now"]) : testDay;
  const result = mapping.run({ body: input, headers: Headers.of(isPlainObject(headers) ? headers : {}), params: isPlainObject(params) ? params : {}, now });
  const messages = result.errors.map(({ message }) => message).join("; ");
  if (typeof error === "string")
    return messages.includes(error) ? undefined : `expected the error ${shown(error)}, got ${messages === "" ? "an output" : shown(messages, 200)}`;
  if (messages !== "") return messages;
  return difference(output, typeof result.output === "string" ? result.output : (JSON.parse(asJson(result.output)) as unknown), "");
}

/** The first place where two JSON values differ, as a sentence; undefined when they are equal. */
function difference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (expected === actual) return undefined;
  const place = path === "" ? "" : `${path}: `;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return `${place}expected ${expected.length} items, got ${actual.length}`;
    return firstOf(expected.map((item, index) => () => difference(item, actual[index], `${path}[${index}]`)));
  }
  if (isPlainObject(expected) && isPlainObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return firstOf(names.map((name) => () => difference(own(expected, name), own(actual, name), path === "" ? name : `${path}.${name}`)));
  }
  return `${place}expected ${shown(expected)}, got ${shown(actual)}`;
}

const own = (value: Readonly<Record<string, unknown>>, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}
