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

function replyFault(wanted: Extract<Then, { reply: unknown }>["reply"], seen: Observed): string | undefined {
  const data = bodyData(seen.body);
  if (wanted.status !== undefined && seen.replyStatus !== wanted.status)
    return `expected reply status ${wanted.status}, got ${seen.replyStatus} with ${show(seen.body)}`;
  if ("body" in wanted && !isPartOf(wanted.body, data) && !isSame(wanted.body, seen.body))
    return `expected a reply that contains ${show(wanted.body)}, got ${show(seen.body)}`;
  if ("bodyEquals" in wanted && !isSame(wanted.bodyEquals, data) && !isSame(wanted.bodyEquals, seen.body))
    return `expected the reply ${show(wanted.bodyEquals)}, got ${show(seen.body)}`;
  if (wanted.matches !== undefined && !new RegExp(wanted.matches.replace(/^\/(.*)\/$/s, "$1")).test(textOf(seen.body)))
    return `expected a reply that matches ${wanted.matches}, got ${show(seen.body)}`;
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    const got = Object.entries(seen.headers).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
    if (String(got) !== String(value)) return `expected the reply header ${name} to be ${show(value)}, got ${show(got)}`;
  }
  return undefined;
}

function errorFault(wanted: Extract<Then, { error: unknown }>["error"], { error, status }: Observed): string | undefined {
  if (error === undefined) return `expected a failure, got status ${status}`;
  if (wanted.type !== undefined && error.type !== wanted.type && !error.type.endsWith(`.${wanted.type}`))
    return `expected a failure of type ${wanted.type}, got ${error.type}`;
  if (wanted.contains !== undefined && !error.message.includes(wanted.contains)) return `expected a failure with '${wanted.contains}', got '${error.message}'`;
  return wanted.stepId !== undefined && error.stepId !== wanted.stepId ? `expected step ${wanted.stepId} to fail, got ${error.stepId}` : undefined;
}

function listFault(what: string, wrong: readonly string[], { visited }: Observed): string | undefined {
  return wrong.length === 0 ? undefined : `expected ${what}: ${wrong.join(", ")}; visited steps: ${[...visited].join(", ") || "nothing"}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
