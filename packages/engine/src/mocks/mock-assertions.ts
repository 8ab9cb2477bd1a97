// Assertions about mocks: number, order and content of their calls.
import { bodyData, isPartOf, type AssertionBody, type CalledBody } from "@sluice/model";
import { strictEquals } from "../values/equality.ts";
import { compilePattern, type TextPattern } from "../values/pattern.ts";
import { asText } from "../values/text.ts";
import { InvalidMockError } from "./invalid-mock-error.ts";

/** The part of a call that assertions check. */
export interface AssertedCall {
  readonly seq: number;
  readonly mockId: string;
  readonly request: { readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> };
}

export interface AssertionResult {
  readonly ok: boolean;
  readonly message: string;
}

/** Compiles a JSONPath; throws for an invalid one. */
export type JsonPath = (path: string) => (body: unknown) => unknown;

/** Throws for an assertion that can never be evaluated: an invalid expression or path. */
export function checkAssertion(assertion: AssertionBody, jsonPath: JsonPath): void {
  const expectation = "mockCalled" in assertion && typeof assertion.mockCalled === "object" ? assertion.mockCalled.with : undefined;
  if (expectation?.matches !== undefined) bodyPattern(expectation.matches);
  for (const path of Object.keys(expectation?.jsonpath ?? {})) jsonPath(path);
}

export function evaluateAssertion(assertion: AssertionBody, calls: readonly AssertedCall[], jsonPath: JsonPath): AssertionResult {
  if ("mockOrder" in assertion) return checkOrder(assertion.mockOrder, calls);
  const called = typeof assertion.mockCalled === "string" ? { mock: assertion.mockCalled } : assertion.mockCalled;
  return checkCalls(
    called,
    calls.filter((call) => call.mockId === called.mock),
    jsonPath,
  );
}

function checkOrder(expected: readonly string[], calls: readonly AssertedCall[]): AssertionResult {
  const actual = calls.map((call) => call.mockId).filter((id) => expected.includes(id));
  const ok = strictEquals(actual, expected);
  return {
    ok,
    message: ok
      ? `mocks were called in the order ${expected.join(", ")}`
      : `expected the order ${expected.join(", ")}, but got ${actual.length === 0 ? "no call" : actual.join(", ")}`,
  };
}

function checkCalls(expected: CalledBody, calls: readonly AssertedCall[], jsonPath: JsonPath): AssertionResult {
  const { mock, times, atLeast, atMost, never } = expected;
  const summary = `mock '${mock}' was called ${calls.length} time${calls.length === 1 ? "" : "s"}`;
  const hasCount = times !== undefined || atLeast !== undefined || atMost !== undefined || never !== undefined;
  const min = times ?? atLeast ?? (hasCount ? 0 : 1);
  const max = never === true ? 0 : (times ?? atMost ?? Infinity);
  if (calls.length < min || calls.length > max) {
    const expectation =
      never === true ? "never" : min === max ? `${min}` : max === Infinity ? `at least ${min}` : min === 0 ? `at most ${max}` : `${min} to ${max}`;
    return { ok: false, message: `${summary}, expected ${expectation}` };
  }
  if (expected.with === undefined) return { ok: true, message: summary };
  return checkContents(expected, calls, jsonPath);
}

function checkContents(expected: CalledBody, calls: readonly AssertedCall[], jsonPath: JsonPath): AssertionResult {
  const { mock, call = "any" } = expected;
  const selected = call === "first" ? calls.slice(0, 1) : call === "last" ? calls.slice(-1) : typeof call === "number" ? calls.slice(call - 1, call) : calls;
  const faults = selected.map((selectedCall) => mismatch(expected, selectedCall, jsonPath));
  const ok = selected.length > 0 && (call === "any" ? faults.some((fault) => fault === undefined) : faults.every((fault) => fault === undefined));
  if (ok) return { ok, message: `mock '${mock}' was called as expected` };
  const missing = typeof call === "number" ? `there is no call ${call}` : "it was not called";
  return { ok, message: `mock '${mock}': ${selected.length === 0 ? missing : faults.find((fault) => fault !== undefined)}` };
}

function mismatch({ with: expectation }: CalledBody, { request, seq }: AssertedCall, jsonPath: JsonPath): string | undefined {
  const { body, bodyEquals, headers, matches, jsonpath } = expectation as NonNullable<CalledBody["with"]>;
  const data = bodyData(request.body);
  if (body !== undefined && !isPartOf(body, data)) return `call ${seq} had the body ${format(request.body)}, expected it to contain ${format(body)}`;
  if (bodyEquals !== undefined && !strictEquals(data, bodyEquals) && !strictEquals(request.body, bodyEquals))
    return `call ${seq} had the body ${format(request.body)}, expected ${format(bodyEquals)}`;
  if (matches !== undefined && !isFound(matches, asText(request.body)))
    return `call ${seq} had the body ${format(request.body)}, expected it to match ${matches}`;
  for (const [name, value] of Object.entries(headers ?? {})) {
    const actual = Object.entries(request.headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1] ?? null;
    if (!strictEquals(actual, value) && String(actual) !== String(value))
      return `call ${seq} had the header ${name} ${format(actual)}, expected ${format(value)}`;
  }
  for (const [path, value] of Object.entries(jsonpath ?? {})) {
    const actual = jsonPath(path)(data);
    if (!strictEquals(actual, value)) return `call ${seq} had ${format(actual)} at ${path}, expected ${format(value)}`;
  }
  return undefined;
}

function isFound(source: string, text: string): boolean {
  const pattern = bodyPattern(source);
  try {
    return pattern.find(text);
  } catch {
    // The pattern is too expensive for a string of this length.
    return false;
  }
}

/** `/A-\d+/` or the same without slashes, matched anywhere in the body. */
function bodyPattern(pattern: string): TextPattern {
  try {
    return compilePattern(pattern.replace(/^\/(.*)\/$/s, "$1"));
  } catch (cause) {
    throw new InvalidMockError(`'matches' of an assertion: ${asText(cause)}`);
  }
}

function format(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
