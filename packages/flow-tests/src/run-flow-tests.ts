// Runs flow tests against a runtime: each test in its own session, so that live traffic and other tests are unaffected.
import type { FlowTest, FlowTestFile, When } from "./flow-test-shape.ts";
import { findCounterexample } from "./generated-input.ts";
import { checkAssertion, type Observed } from "./check-assertion.ts";
import type { RuntimeTransport } from "./runtime-transport.ts";
import { readTraces, type RunView } from "./traces.ts";

export interface FlowTestResult {
  readonly name: string;
  /** The line of the test in its file. */
  readonly line: number;
  /** The mismatches in test order; empty when it passed. */
  readonly failures: readonly string[];
  readonly durationMs: number;
  /** The runs of the test, oldest first. */
  readonly runs: readonly RunView[];
  /** The reply to the last call; undefined when a call failed. */
  readonly reply: { readonly status: number | undefined; readonly body: unknown } | undefined;
}

export interface FlowTestOptions {
  /** Reads a file next to the tests. */
  readFile?(path: string): Promise<string>;
  /** How long to wait for mocks to be called after the last reply; default: the test's timeout. */
  readonly mockTimeoutMs?: number | undefined;
}

interface Calls {
  readonly recordedCalls: readonly unknown[];
  readonly assertions?: readonly { readonly ok: boolean; readonly message: string }[];
}

export async function runFlowTests(transport: RuntimeTransport, file: FlowTestFile, options: FlowTestOptions = {}): Promise<readonly FlowTestResult[]> {
  const results: FlowTestResult[] = [];
  for (const test of file.tests) results.push(await runFlowTest(transport, test, file.defaults, options));
  return results;
}

export async function runFlowTest(
  transport: RuntimeTransport,
  test: FlowTest,
  defaults: FlowTestFile["defaults"],
  options: FlowTestOptions = {},
): Promise<FlowTestResult> {
  const startedAt = performance.now();
  const runs: RunView[] = [];
  let reply: FlowTestResult["reply"];
  const attempt = async (calls: readonly When[]): Promise<readonly string[]> => {
    const outcome = await runOnce(transport, { ...test, when: calls }, defaults, options.mockTimeoutMs);
    runs.push(...outcome.runs);
    reply = outcome.reply;
    return outcome.failures;
  };
  const failures = test.when.some(({ generate }) => generate !== undefined) ? await findCounterexample(test.when, attempt, options) : await attempt(test.when);
  return { name: test.name, line: test.line, failures, runs, reply, durationMs: Math.round(performance.now() - startedAt) };
}

/** Maximum duration of a session. */
const maxSessionMs = 3_600_000;

type Outcome = Pick<FlowTestResult, "failures" | "runs" | "reply">;

async function runOnce(transport: RuntimeTransport, test: FlowTest, defaults: FlowTestFile["defaults"], mockTimeoutMs: number | undefined): Promise<Outcome> {
  const assertions = test.then.filter((then) => "mockCalled" in then || "mockOrder" in then);
  const timeoutMs = test.timeoutMs ?? defaults.timeoutMs;
  const session = await transport.api("POST", "/test/session", {
    name: test.name.slice(0, 200),
    ttlMs: Math.min(maxSessionMs, 60_000 + (test.when.length + 1) * timeoutMs),
    scope: "session",
    unmatched: defaults.unmatched,
    time: test.time ?? defaults.time,
    mocks: test.mocks,
    assertions,
  });
  if (session.status !== 201) return { failures: [`the session was rejected with ${session.status}: ${reason(session.text)}`], runs: [], reply: undefined };
  const { sessionId } = JSON.parse(session.text) as { sessionId: string };
  const log = test.then.some((then) => "logged" in then) ? await transport.followLog(sessionId) : undefined;
  try {
    let last: CallOutcome | undefined;
    for (const when of test.when) {
      const outcome = await sendCall(transport, sessionId, when, timeoutMs);
      if (typeof outcome === "string") return { failures: [outcome], runs: [], reply: undefined };
      last = outcome;
    }
    const logAssertions = test.then.filter((then) => "logged" in then);
    const isEnough = (logged: Observed["logged"]): boolean =>
      logAssertions.every((then) => checkAssertion(then, { ...(last as CallOutcome), logged }) === undefined);
    const observed = { ...(last as CallOutcome), logged: (await log?.lines(isEnough)) ?? [] };
    const failures = test.then.map((then) => checkAssertion(then, observed)).filter((failure) => failure !== undefined);
    const mockMismatches = assertions.length === 0 ? [] : await unmetMockAssertions(transport, sessionId, mockTimeoutMs ?? timeoutMs);
    // Once the mocks were called, the runs also include work after the reply, in queues or wire taps.
    const { runs } = mockMismatches.length === 0 && assertions.length > 0 ? await readTraces(transport, sessionId) : observed;
    return { failures: [...failures, ...mockMismatches], runs, reply: { status: observed.replyStatus, body: observed.body } };
  } finally {
    log?.close();
    await transport.api("DELETE", `/test/session/${sessionId}`);
  }
}

/** The outcome of a call, without log lines. */
type CallOutcome = Omit<Observed, "logged"> & { readonly runs: readonly RunView[] };

/** Sends one message; returns the outcome, or why it could not be sent. */
async function sendCall(transport: RuntimeTransport, sessionId: string, when: When, timeoutMs: number): Promise<CallOutcome | string> {
  if ("webhook" in when) return callWebhook(transport, sessionId, when, timeoutMs);
  const target = "direct" in when ? { trigger: `direct:${when.direct.replace(/^direct:/, "")}` } : { routeId: when.route };
  const { body, headers, properties, variables } = when;
  const reply = await transport.api("POST", "/test/invoke", { sessionId, ...target, body, headers, properties, variables, timeoutMs });
  if (reply.status !== 200) return `the call was rejected with ${reply.status}: ${reason(reply.text)}`;
  const outcome = JSON.parse(reply.text) as { runId: string; status: string; body: unknown; headers: Record<string, unknown>; error: Observed["error"] | null };
  const traces = await readTraces(transport, sessionId);
  return { status: outcome.status, replyStatus: undefined, body: outcome.body, headers: outcome.headers, error: outcome.error ?? undefined, ...traces };
}

async function callWebhook(
  transport: RuntimeTransport,
  sessionId: string,
  when: Extract<When, { webhook: string }>,
  timeoutMs: number,
): Promise<CallOutcome | string> {
  const isText = typeof when.body === "string";
  const headers = {
    ...(when.body === undefined || isText ? {} : { "content-type": "application/json" }),
    ...textValues(when.headers),
    "x-test-session": sessionId,
  };
  const body = when.body === undefined ? undefined : isText ? (when.body as string) : JSON.stringify(when.body);
  const path = `${when.path ?? `/api/${when.webhook}`}${when.query === undefined ? "" : `?${when.query}`}`;
  const reply = await withTimeout(timeoutMs, transport.webhook(when.method, path, headers, body));
  if (reply === undefined) return `${when.method} ${path} did not respond within ${timeoutMs} ms`;
  const runId = reply.headers["x-run-id"];
  if (runId === undefined) return `${when.method} ${path} reached no route: ${reply.status} ${reply.text.slice(0, 200)}`;
  const traces = await readTraces(transport, sessionId);
  const run = traces.runs.find(({ id }) => id === runId);
  return { status: run?.status ?? "unknown", replyStatus: reply.status, body: reply.text, headers: reply.headers, error: run?.error ?? undefined, ...traces };
}

/** The result of the work, or undefined on timeout. */
async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), timeoutMs)));
  // After a timeout, a later rejection must not be unhandled.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Work after a reply (taps, queues, groups) takes a moment: polls until the mocks were called as expected, or the timeout. */
async function unmetMockAssertions(transport: RuntimeTransport, sessionId: string, timeoutMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { status, text } = await transport.api("GET", `/test/session/${sessionId}`);
    if (status !== 200) return [`cannot read the recorded mock calls: ${status} ${reason(text)}`];
    const { assertions = [] } = JSON.parse(text) as Calls;
    const failures = assertions.filter(({ ok }) => !ok).map(({ message }) => message);
    if (failures.length === 0 || performance.now() > deadline) return failures;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function textValues(values: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The message of an error body. */
function reason(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text.slice(0, 300);
  }
}
