// The simulation in the page and a deployed runtime have the same results: for every example, and for every conformance case that does not depend on
// real time, if SLUICE_CONFORMANCE names the folder of the cases.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finish, sendSample, settle } from "../../packages/designer/src/simulation/simulate.ts";
import { startSimulated } from "../../packages/designer/src/simulation/simulated-runtime.ts";
import { SimulationMocks } from "../../packages/designer/src/simulation/simulation-mocks.ts";
import { runtimeConnectorsOf, type RuntimeConnectors } from "../../packages/designer/src/simulation/runtime-connectors.ts";
import { simulateTests } from "../../packages/designer/src/simulation/simulate-tests.ts";
import { eventually, startTestServer, type StartedServer } from "../started-server.ts";

interface Send {
  readonly endpoint: string;
  readonly body?: unknown;
  readonly headers?: Record<string, unknown>;
  readonly pattern?: string;
  readonly delayMs?: number;
  readonly parallel?: boolean;
}

interface Case {
  readonly id: string;
  readonly yaml: string;
  readonly params?: Record<string, string>;
  readonly send?: readonly Send[];
  readonly expect: { readonly mocks?: Record<string, { readonly count?: number; readonly minCount?: number }>; readonly rejected?: boolean };
  readonly tags?: readonly string[];
}

/** The compared parts of a result. */
interface Outcome {
  readonly accepted: boolean;
  readonly replies: readonly unknown[];
  readonly calls: Readonly<Record<string, readonly unknown[]>>;
}

const folder = process.env["SLUICE_CONFORMANCE"];
const read = (file: string): readonly Case[] =>
  folder === undefined || !existsSync(join(folder, file))
    ? []
    : readFileSync(join(folder, file), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Case);
/** Matches flows with a scheduled trigger. */
const scheduledTrigger = /uri: *"?(timer|cron|quartz|scheduler)\b/;
const timeSkippingSession = { id: "simulation", skipTime: true };
const allMocks = (flowId: string) => [{ id: "all", match: { uri: "mock:*", flowId }, respond: {} }];

/** The value without ids and times, which differ from run to run. */
function normalized(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return JSON.parse(
    text
      .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b|\bS\d{25}\b|\b[0-9A-F]{15}-\d{16}\b/g, "ID")
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\b1[789]\d{11}\b/g, "MILLIS"),
  );
}

async function deployed(server: StartedServer, { id, yaml, params, send = [], expect: expected }: Case): Promise<Outcome> {
  const reply = await server.putFlow(id, yaml, params);
  if (reply.status >= 300) return { accepted: false, replies: [], calls: {} };
  try {
    const { json: session } = await server.api("POST", "/test/session", { scope: "deployment", time: "skip", mocks: allMocks(id) });
    const replies: unknown[] = [];
    for (const { endpoint, delayMs: _, parallel: __, ...message } of send) {
      const { json } = await server.api("POST", "/test/invoke", { sessionId: session.sessionId, trigger: endpoint, ...message });
      // The reply to a one-way call is sent before its run ends.
      if (message.pattern !== "InOnly")
        replies.push({ status: json.status, body: json.body, bodyType: json.bodyType, headers: json.headers, error: json.error?.message ?? null });
    }
    const recorded = async () => (await server.api("GET", `/test/session/${session.sessionId}`)).json.recordedCalls as { uri: string; request: any }[];
    const minCalls = Object.values(expected.mocks ?? {}).reduce((sum, { count = 0, minCount = 0 }) => sum + Math.max(count, minCount), 0);
    await eventually(async () => (await recorded()).length >= minCalls, 60_000).catch(() => undefined);
    await eventually(async () => (await server.api("GET", "/health")).json.routes.every(({ inflight }: { inflight: number }) => inflight === 0));
    const calls = group((await recorded()).map(({ uri, request }) => ({ uri, ...request })));
    await server.api("DELETE", `/test/session/${session.sessionId}`);
    return { accepted: true, replies, calls };
  } finally {
    await server.api("DELETE", `/flows/${id}`);
  }
}

async function simulated({ id, yaml, params = {}, send = [] }: Case): Promise<Outcome> {
  const started = await startSimulated({ flowId: id, source: yaml, params });
  if (!started.ok || started.simulated.unresolvedParameters.length > 0) return { accepted: false, replies: [], calls: {} };
  const mocks = new SimulationMocks(started.simulated);
  mocks.install(allMocks(id), false);
  const replies: unknown[] = [];
  for (const { endpoint, body, headers = {}, pattern } of send) {
    const routeId = started.simulated.runtime.routeInputOf(endpoint)?.route.id ?? "";
    const sent = await sendSample(started.simulated, { routeId, body, headers, ...(pattern === "InOnly" ? { pattern } : {}) }, timeSkippingSession);
    if (typeof sent === "string") throw new Error(sent);
    const { reply: _, error, ...outcome } = sent.outcome;
    if (pattern !== "InOnly") replies.push({ ...outcome, error: error?.message ?? null });
  }
  await settle(started.simulated);
  const calls = group(mocks.calls.map(({ uri, request }) => ({ uri: uri ?? "", ...request })));
  await finish(started.simulated, started.simulated.runtime.stop());
  return { accepted: true, replies, calls };
}

function group(calls: readonly ({ readonly uri: string } & Readonly<Record<string, unknown>>)[]): Record<string, unknown[]> {
  const groups: Record<string, unknown[]> = {};
  for (const { uri, ...call } of calls) (groups[uri] ??= []).push(call);
  return groups;
}

/** Cases that need no SLUICE_CONFORMANCE: a split with branches, a handled failure and a rejected flow. */
const builtInCases: readonly Case[] = [
  {
    id: "agree-branches",
    yaml: `- from:
    uri: direct:start
    steps:
      - split:
          simple: "\${body}"
          steps:
            - choice:
                when: [{simple: "\${body} > 2", steps: [{to: "mock:large"}]}]
                otherwise: {steps: [{setHeader: {name: small, simple: "\${exchangeProperty.CamelSplitIndex}"}}, {to: "mock:small"}]}
      - setBody: {constant: done}
`,
    send: [{ endpoint: "direct:start", body: [1, 2, 3, 4] }],
    expect: { mocks: { "mock:large": { count: 2 }, "mock:small": { count: 2 } } },
  },
  {
    id: "agree-handled",
    yaml: `- onException:
    exception: [java.lang.IllegalArgumentException]
    handled: {constant: "true"}
    steps: [{to: "mock:failed"}, {setBody: {simple: "sorry: \${exception.message}"}}]
- from:
    uri: direct:start
    steps: [{throwException: {exceptionType: java.lang.IllegalArgumentException, message: "bad \${body}"}}]
`,
    send: [{ endpoint: "direct:start", body: "day" }],
    expect: { mocks: { "mock:failed": { count: 1 } } },
  },
  { id: "agree-rejected", yaml: "- from: {uri: direct:start, steps: [{setBodi: {constant: x}}]}\n", expect: { rejected: true } },
];

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
// A folder with a package.json is a plug-in with its own tests; the page has no plug-ins.
const flowExamples = readdirSync(examples).filter((name) => existsSync(join(examples, name, "test.yaml")));

describe("examples", () => {
  let runtimeConnectors: RuntimeConnectors;
  beforeAll(async () => {
    const server = await startTestServer();
    runtimeConnectors = runtimeConnectorsOf((await server.api("GET", "/catalog?full=true")).json);
    await server.end();
  });

  it.each(flowExamples)("the tests of %s pass in the simulation as on a runtime", async (name) => {
    const text = (file: string): string => readFileSync(join(examples, name, file), "utf8");
    const [result] = await simulateTests({ flowId: name, source: text("flow.yaml"), files: [{ id: name, text: text("test.yaml") }], runtimeConnectors });
    expect(result?.problems).toEqual([]);
    expect(result?.tests.length).toBeGreaterThan(0);
    expect(result?.tests.filter(({ failures }) => failures.length > 0)).toEqual([]);
  });
});

describe("simulation and runtime agree", () => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.end());

  const cases = [...builtInCases, ...read("eip.jsonl"), ...read("documents.jsonl")].filter(
    ({ tags, yaml }) => tags?.includes("timing") !== true && !scheduledTrigger.test(yaml),
  );

  it.each(cases.map((testCase) => [testCase.id, testCase] as const))("%s", async (_, testCase) => {
    expect(normalized(await simulated(testCase))).toEqual(normalized(await deployed(server, testCase)));
  });
});
