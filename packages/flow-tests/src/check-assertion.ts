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
export function checkAssertion(then: Then, seen: Observed): string | undefined {
  if ("status" in then)
    return seen.status === then.status
      ? undefined
      : `expected status ${then.status}, got ${seen.status}${seen.error === undefined ? "" : ` (${seen.error.message})`}`;
  if ("reply" in then) return replyFault(then.reply, seen);
  if ("error" in then) return errorFault(then.error, seen);
  if ("visited" in then)
    return listFault(
      "visited",
      then.visited.filter((id) => !seen.visited.has(id)),
      seen,
    );
  if ("notVisited" in then)
    return listFault(
      "not visited",
      then.notVisited.filter((id) => seen.visited.has(id)),
      seen,
    );
  if ("logged" in then) {
    const { level, contains } = then.logged;
    const found = seen.logged.some((line) => line.message.includes(contains) && (level === undefined || line.level === level.toUpperCase()));
    return found
      ? undefined
      : `expected a log line${level === undefined ? "" : ` of level ${level.toUpperCase()}`} with '${contains}', got ${show(seen.logged.map((line) => `${line.level} ${line.message}`))}`;
  }
  return undefined;
}

function replyFault(expected: Extract<Then, { reply: unknown }>["reply"], seen: Observed): string | undefined {
  const data = bodyData(seen.body);
  if (expected.status !== undefined && seen.replyStatus !== expected.status)
    return `expected reply status ${expected.status}, got ${seen.replyStatus} with ${show(seen.body)}`;
  if ("body" in expected && !isPartOf(expected.body, data) && !isSame(expected.body, seen.body))
    return `expected a reply that contains ${show(expected.body)}, got ${show(seen.body)}`;
  if ("bodyEquals" in expected && !isSame(expected.bodyEquals, data) && !isSame(expected.bodyEquals, seen.body))
    return `expected the reply ${show(expected.bodyEquals)}, got ${show(seen.body)}`;
  if (expected.matches !== undefined && !new RegExp(expected.matches.replace(/^\/(.*)\/$/s, "$1")).test(textOf(seen.body)))
    return `expected a reply that matches ${expected.matches}, got ${show(seen.body)}`;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const got = Object.entries(seen.headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
    if (String(got) !== String(value)) return `expected the reply header ${name} to be ${show(value)}, got ${show(got)}`;
  }
  return undefined;
}

function errorFault(expected: Extract<Then, { error: unknown }>["error"], { error, status }: Observed): string | undefined {
  if (error === undefined) return `expected a failure, got status ${status}`;
  if (expected.type !== undefined && error.type !== expected.type && !error.type.endsWith(`.${expected.type}`))
    return `expected a failure of type ${expected.type}, got ${error.type}`;
  if (expected.contains !== undefined && !error.message.includes(expected.contains))
    return `expected a failure with '${expected.contains}', got '${error.message}'`;
  return expected.stepId !== undefined && error.stepId !== expected.stepId ? `expected step ${expected.stepId} to fail, got ${error.stepId}` : undefined;
}

function listFault(what: string, wrong: readonly string[], { visited }: Observed): string | undefined {
  return wrong.length === 0 ? undefined : `expected ${what}: ${wrong.join(", ")}; visited steps: ${[...visited].join(", ") || "nothing"}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
