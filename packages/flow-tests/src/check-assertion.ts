// Compares the outcome with the expectations of a test. Each mismatch is one sentence that shows both.
import { bodyData, isPartOf } from "@sluice/model";
import type { Then } from "./flow-test-shape.ts";
import { isSame } from "./is-same.ts";
import type { LoggedLine } from "./runtime-transport.ts";

/** The outcome of the last call in a test. */
export interface Observed {
  readonly status: string;
  readonly replyStatus: number | undefined;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | null } | undefined;
  /** The steps the test's messages executed, in any route. */
  readonly visited: ReadonlySet<string>;
  readonly logged: readonly LoggedLine[];
}

/** The mismatch, or undefined. The runtime that recorded the calls evaluates mock assertions. */
export function checkAssertion(then: Then, observed: Observed): string | undefined {
  if ("status" in then)
    return observed.status === then.status
      ? undefined
      : `expected status ${then.status}, got ${observed.status}${observed.error === undefined ? "" : ` (${observed.error.message})`}`;
  if ("reply" in then) return replyMismatch(then.reply, observed);
  if ("error" in then) return errorMismatch(then.error, observed);
  if ("visited" in then)
    return visitMismatch(
      "visited",
      then.visited.filter((id) => !observed.visited.has(id)),
      observed,
    );
  if ("notVisited" in then)
    return visitMismatch(
      "not visited",
      then.notVisited.filter((id) => observed.visited.has(id)),
      observed,
    );
  if ("logged" in then) {
    const { level, contains } = then.logged;
    const found = observed.logged.some((line) => line.message.includes(contains) && (level === undefined || line.level === level.toUpperCase()));
    return found
      ? undefined
      : `expected a log line${level === undefined ? "" : ` of level ${level.toUpperCase()}`} that contains '${contains}', got ${format(observed.logged.map((line) => `${line.level} ${line.message}`))}`;
  }
  return undefined;
}

function replyMismatch(expected: Extract<Then, { reply: unknown }>["reply"], observed: Observed): string | undefined {
  const data = bodyData(observed.body);
  if (expected.status !== undefined && observed.replyStatus !== expected.status)
    return observed.replyStatus === undefined
      ? `expected reply status ${expected.status}, but only webhook calls have a reply status`
      : `expected reply status ${expected.status}, got ${observed.replyStatus} with ${format(observed.body)}`;
  if ("body" in expected && !isPartOf(expected.body, data) && !isSame(expected.body, observed.body))
    return `expected ${expectedReply(expected.body)}, got ${format(observed.body)}`;
  if ("bodyEquals" in expected && !isSame(expected.bodyEquals, data) && !isSame(expected.bodyEquals, observed.body))
    return `expected the reply ${format(expected.bodyEquals)}, got ${format(observed.body)}`;
  if (expected.matches !== undefined && !new RegExp(expected.matches.replace(/^\/(.*)\/$/s, "$1")).test(textOf(observed.body)))
    return `expected a reply that matches ${expected.matches}, got ${format(observed.body)}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const actual = Object.entries(observed.headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
    if (String(actual) !== String(value)) return `expected the reply header ${name} to be ${format(value)}, got ${format(actual)}`;
  }
  return undefined;
}

/** Only objects may have more members than expected; text, numbers and the length of a list must be equal. */
function expectedReply(body: unknown): string {
  if (!hasObject(body)) return `the reply ${format(body)}`;
  return `a reply that contains ${format(body)}${hasList(body) ? ", with lists of the same length" : ""}`;
}

const hasObject = (body: unknown): boolean => (Array.isArray(body) ? body.some(hasObject) : typeof body === "object" && body !== null);
const hasList = (body: unknown): boolean => Array.isArray(body) || (typeof body === "object" && body !== null && Object.values(body).some(hasList));

function errorMismatch(expected: Extract<Then, { error: unknown }>["error"], { error, status }: Observed): string | undefined {
  if (error === undefined) return `expected a failure, got status ${status}`;
  if (expected.type !== undefined && error.type !== expected.type && !error.type.endsWith(`.${expected.type}`))
    return `expected a failure of type ${expected.type}, got ${error.type}`;
  if (expected.contains !== undefined && !error.message.includes(expected.contains))
    return `expected a failure whose message contains '${expected.contains}', got '${error.message}'`;
  if (expected.stepId === undefined || error.stepId === expected.stepId) return undefined;
  return `expected step ${expected.stepId} to fail, ${error.stepId === null ? "but the failure was not in a step" : `got ${error.stepId}`}`;
}

function visitMismatch(expectation: string, mismatches: readonly string[], { visited }: Observed): string | undefined {
  return mismatches.length === 0 ? undefined : `expected ${expectation}: ${mismatches.join(", ")}; visited steps: ${[...visited].join(", ") || "none"}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function format(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
