import { access } from "node:fs/promises";
import { stringify } from "yaml";
import type { RunDetail } from "@sluice/client";
import { httpTransport, readFlowTests, runFlowTest } from "@sluice/flow-tests";
import { CommandError, isOn, textFlag, UsageError, type Call } from "../../command/declaration.ts";
import { writeOutput } from "../../files/write-output.ts";
import { connect, ifFound, type Connection } from "../../runtime/connection.ts";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";
import { runIdOf } from "../../runtime/run-id.ts";
import { testOf, type RecordedTest } from "./recorded-test.ts";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const connection = await connect(flags);
  const id = await runIdOf(connection, String(positionals["run"]));
  const recorded = await connection.call("GET /runs/:id", { params: { id } });
  if (recorded.messages === undefined || recorded.messages.length === 0)
    throw new CommandError(
      `the messages of run '${id}' were not captured: turn on capture with \`sluice routes capture ${recorded.routeId} --minutes 10\` and call the route again`,
    );
  const output = textFlag(flags, "output") ?? `${recorded.routeId}.test.yaml`;
  if (
    output !== "-" &&
    !isOn(flags, "force") &&
    (await access(output).then(
      () => true,
      () => false,
    ))
  )
    throw new UsageError(`'${output}' already exists: choose another --output, or pass --force`);
  const flow = await connection.call("GET /flows/:id", { params: { id: recorded.flowId } });
  const test = await withOutcome(connection, await testOf(recorded, await childrenOf(connection, recorded), flow, await operatorPlugins()));
  const flowFile = textFlag(flags, "flow");
  const subject = flowFile === undefined ? { flowId: recorded.flowId } : { flow: flowFile };
  const text = stringify({ ...subject, tests: [test] }, { lineWidth: 0 });
  const failures = await failuresOf(connection, text);
  if (output === "-") terminal.write(isOn(flags, "json") ? JSON.stringify({ ...subject, tests: [test] }, undefined, 2) : text);
  else await writeOutput(output, text);
  for (const failure of failures) terminal.note(`${terminal.style("yellow", "warning")} the test does not pass yet: ${failure}`);
  if (output !== "-") terminal.note(`${failures.length === 0 ? "The test passes; written" : "Written"} to ${output}`);
  return 0;
}

/** All direct and indirect child runs. */
async function childrenOf(connection: Connection, run: RunDetail): Promise<readonly RunDetail[]> {
  const { runs } = await connection.call("GET /runs", { query: { limit: 1_000, flowId: run.flowId, kind: ["live", "replay", "test"] } });
  const runIds = new Set([run.id]);
  const children = runs.toReversed().filter(({ id, parentRunId }) => parentRunId !== null && runIds.has(parentRunId) && runIds.add(id));
  return Promise.all(children.map(({ id }) => connection.call("GET /runs/:id", { params: { id } })));
}

/** Adds the expected reply to a test by running it once in an isolated session. */
async function withOutcome(connection: Connection, test: RecordedTest): Promise<RecordedTest> {
  const transport = httpTransport(connection.baseUrl, connection.token);
  const { sessionId } = await connection.call("POST /test/session", {
    body: { name: test.name, scope: "session", unmatched: "fail", time: "skip", mocks: test.mocks },
  });
  try {
    if ("webhook" in test.when) {
      const { method = "POST", path = `/api/${String(test.when["webhook"])}`, query, headers = {}, body: requestBody } = test.when as Record<string, any>;
      const text = requestBody === undefined ? undefined : typeof requestBody === "string" ? requestBody : JSON.stringify(requestBody);
      const sent = Object.fromEntries(Object.entries(headers as Record<string, unknown>).map(([name, value]) => [name.toLowerCase(), String(value)]));
      const response = await transport.webhook(method, query === undefined ? path : `${path}?${query}`, { ...sent, "x-test-session": sessionId }, text);
      // The failure message contains the run id, which differs between runs.
      const body = response.status >= 500 ? {} : { bodyEquals: dataOf(response.text) };
      return { ...test, then: [...test.then, { reply: { status: response.status, ...body } }] };
    }
    const { route, body, headers } = test.when as { route: string; body?: unknown; headers?: Readonly<Record<string, unknown>> };
    const outcome = await connection.call("POST /test/invoke", { body: { sessionId, routeId: route, body, ...(headers === undefined ? {} : { headers }) } });
    return outcome.body === null ? test : { ...test, then: [...test.then, { reply: { bodyEquals: outcome.body } }] };
  } finally {
    await ifFound(connection.call("DELETE /test/session/:id", { params: { id: sessionId } }));
  }
}

function dataOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs the test once. */
async function failuresOf(connection: Connection, text: string): Promise<readonly string[]> {
  const file = readFlowTests(text);
  const [test] = file.tests;
  if (test === undefined) return [];
  return (await runFlowTest(httpTransport(connection.baseUrl, connection.token), test, file.defaults)).failures;
}
