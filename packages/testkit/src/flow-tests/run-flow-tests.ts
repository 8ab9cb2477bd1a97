// Runs flow tests against a runtime: each test in a session of its own, so that live traffic and other tests are untouched.
import { expandRows, type FlowTest, type FlowTestFile, type When } from "./flow-test-file.ts";
import { judge, type Observed } from "./judge.ts";
import type { RuntimeTransport } from "./runtime-transport.ts";

export interface FlowTestResult {
  readonly name: string;
  /** What was not as expected, in the order of the test; empty when it passed. */
  readonly faults: readonly string[];
  readonly durationMs: number;
}

interface Calls {
  readonly recordedCalls: readonly unknown[];
  readonly assertions?: readonly { readonly ok: boolean; readonly message: string }[];
}

/** Puts the flow of a test file into the runtime; throws when it is refused. */
export async function installFlow(transport: RuntimeTransport, flowId: string, yaml: string, params?: Readonly<Record<string, string>>): Promise<void> {
  const reply = await transport.api("PUT", `/flows/${flowId}`, { yaml, ...(params === undefined ? {} : { params }) });
  if (reply.status >= 300) throw new Error(`flow '${flowId}' was refused with ${reply.status}: ${reply.text}`);
}

export async function runFlowTests(transport: RuntimeTransport, file: FlowTestFile): Promise<readonly FlowTestResult[]> {
  const results: FlowTestResult[] = [];
  for (const test of file.tests.flatMap(expandRows)) results.push(await runFlowTest(transport, test, file.defaults));
  return results;
}

export async function runFlowTest(transport: RuntimeTransport, test: FlowTest, defaults: FlowTestFile["defaults"]): Promise<FlowTestResult> {
  const began = performance.now();
  const done = (faults: readonly string[]): FlowTestResult => ({ name: test.name, faults, durationMs: Math.round(performance.now() - began) });
  const assertions = test.then.filter((then) => "mockCalled" in then || "mockOrder" in then);
  const session = {
    name: test.name.slice(0, 200),
    scope: "session",
    unmatched: defaults.unmatched,
    time: test.time ?? defaults.time,
    mocks: test.mocks,
    assertions,
  };
  const opened = await transport.api("POST", "/test/session", session);
  if (opened.status !== 201) return done([`the session was refused with ${opened.status}: ${opened.text}`]);
  const { sessionId } = JSON.parse(opened.text) as { sessionId: string };
  const log = test.then.some((then) => "logged" in then) ? await transport.followLog(sessionId) : undefined;
  try {
    let last: Sent | undefined;
    for (const when of [test.when].flat()) {
      const outcome = await fire(transport, sessionId, when, defaults.timeoutMs);
      if (typeof outcome === "string") return done([outcome]);
      last = outcome;
    }
    const seen = { ...(last as Sent), logged: (await log?.lines()) ?? [] };
    const faults = test.then.map((then) => judge(then, seen)).filter((fault) => fault !== undefined);
    return done([...faults, ...(assertions.length === 0 ? [] : await mockFaults(transport, sessionId, defaults.timeoutMs))]);
  } finally {
    log?.close();
    await transport.api("DELETE", `/test/session/${sessionId}`);
  }
}

/** What a call came to, without what was logged meanwhile. */
type Sent = Omit<Observed, "logged">;

/** Sends one message; the outcome, or why it could not be sent. */
async function fire(transport: RuntimeTransport, sessionId: string, when: When, timeoutMs: number): Promise<Sent | string> {
  if ("webhook" in when) return callWebhook(transport, sessionId, when);
  const target = "direct" in when ? { trigger: `direct:${when.direct}` } : { routeId: when.route };
  const { body, headers, properties, variables } = when;
  const reply = await transport.api("POST", "/test/invoke", { sessionId, ...target, body, headers, properties, variables, timeoutMs });
  if (reply.status !== 200) return `the call was refused with ${reply.status}: ${reply.text}`;
  const outcome = JSON.parse(reply.text) as { runId: string; status: string; body: unknown; headers: Record<string, unknown>; error: Observed["error"] | null };
  const { visited } = await traces(transport, sessionId);
  return { status: outcome.status, replyStatus: undefined, body: outcome.body, headers: outcome.headers, error: outcome.error ?? undefined, visited };
}

async function callWebhook(transport: RuntimeTransport, sessionId: string, when: Extract<When, { webhook: string }>): Promise<Sent | string> {
  const isText = typeof when.body === "string";
  const headers = {
    ...(when.body === undefined || isText ? {} : { "content-type": "application/json" }),
    ...textValues(when.headers),
    "x-test-session": sessionId,
  };
  const body = when.body === undefined ? undefined : isText ? (when.body as string) : JSON.stringify(when.body);
  const path = `${when.path ?? `/api/${when.webhook}`}${when.query === undefined ? "" : `?${when.query}`}`;
  const reply = await transport.webhook(when.method, path, headers, body);
  const runId = reply.headers["x-run-id"];
  if (runId === undefined) return `${when.method} ${path} reached no route: ${reply.status} ${reply.text.slice(0, 200)}`;
  const { runs, visited } = await traces(transport, sessionId);
  const run = runs.find(({ id }) => id === runId);
  return {
    status: run?.status ?? "unknown",
    replyStatus: reply.status,
    body: reply.text,
    headers: reply.headers,
    error: run?.error ?? undefined,
    visited,
  };
}

interface RunView {
  readonly id: string;
  readonly sessionId: string | null;
  readonly status: string;
  readonly error: Observed["error"] | null;
  readonly steps: readonly { readonly stepId: string }[];
}

interface Traces {
  readonly runs: readonly RunView[];
  readonly visited: ReadonlySet<string>;
}

/** What the session's messages did so far, in whichever routes they came to. */
async function traces(transport: RuntimeTransport, sessionId: string): Promise<Traces> {
  const { text } = await transport.api("GET", "/runs?limit=1000");
  const runs = (JSON.parse(text) as { runs: readonly RunView[] }).runs.filter((run) => run.sessionId === sessionId);
  return { runs, visited: new Set(runs.flatMap(({ steps }) => steps.map(({ stepId }) => stepId))) };
}

/** What follows a reply (taps, queues, groups) takes a moment: asks until the mocks were called as expected, or time is up. */
async function mockFaults(transport: RuntimeTransport, sessionId: string, timeoutMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { text } = await transport.api("GET", `/test/session/${sessionId}`);
    const { assertions = [] } = JSON.parse(text) as Calls;
    const faults = assertions.filter(({ ok }) => !ok).map(({ message }) => message);
    if (faults.length === 0 || performance.now() > deadline) return faults;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function textValues(values: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
