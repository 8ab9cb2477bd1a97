// Converts a captured run to a test: the response of a step is the message before the next step.
import type { CapturedMessage, Flow, Operations, RunDetail } from "@sluice/client";
import { flatParams } from "../../files/flow-params.ts";
import { createFlowChecker, type Plugins } from "@sluice/server/check";

type Json = Readonly<Record<string, unknown>>;
type Mocks = NonNullable<Operations["POST /test/session"]["body"]["mocks"]>;

/** Headers that the transport or the runtime sets for each run. */
const volatileHeaders =
  /^(host|connection|content-length|accept-encoding|user-agent|date|traceparent|tracestate|x-test-session|transfer-encoding|Camel.*|\*.*)$/i;

export interface RecordedTest {
  readonly name: string;
  readonly mocks: Mocks;
  readonly when: Json;
  readonly then: readonly Json[];
}

/** The test with the status of the run as its only expectation. `children` are the runs that this run called. */
export async function testOf(run: RunDetail, children: readonly RunDetail[], flow: Pick<Flow, "yaml" | "params">, plugins: Plugins): Promise<RecordedTest> {
  const params = flatParams(flow.params);
  const check = createFlowChecker(plugins);
  const read = async (property: (name: string) => string | undefined) => (await check({ id: run.flowId, source: flow.yaml, property })).deployment;
  // A parameter without a value uses its default in the flow; only without a default does it get a placeholder value.
  const deployment = (await read((name) => params[name])) ?? (await read((name) => params[name] ?? "0"));
  const externalStepsOf = (routeId: string): ReadonlySet<string> => {
    const steps = deployment?.routes.find(({ identity }) => identity.id === routeId)?.steps ?? [];
    return new Set(steps.filter(({ uri, isLocal }) => uri !== undefined && !isLocal).map(({ node }) => node.id));
  };
  const mocks = [run, ...children].flatMap((each) => {
    const external = externalStepsOf(each.routeId);
    const messages = each.messages ?? [];
    const captured = messages.flatMap((message, index) => (external.has(message.stepId) ? [mockOf(each, message, messages[index + 1])] : []));
    // The route was not captured, so its responses are unknown; the test must still not call external systems.
    const others =
      messages.length > 0
        ? []
        : each.steps.filter(({ stepId }) => external.has(stepId)).map(({ stepId }) => ({ id: stepId, match: { stepId, routeId: each.routeId }, respond: {} }));
    return [...captured, ...others];
  });
  return { name: `recorded ${run.id}`, mocks, when: whenOf(run, run.messages?.[0]), then: [{ status: run.status }] };
}

function mockOf({ error }: RunDetail, message: CapturedMessage, next: CapturedMessage | undefined): Mocks[number] {
  const match = { id: message.stepId, match: { stepId: message.stepId } };
  if (error !== null && error.stepId === message.stepId) return { ...match, throw: { type: error.type, message: error.message } };
  if (next === undefined) return { ...match, respond: {} };
  const changed = Object.entries(next.headers).filter(
    ([name, value]) => !/^(\*.*)$/.test(name) && JSON.stringify(message.headers[name]) !== JSON.stringify(value),
  );
  const status = next.headers["CamelHttpResponseCode"];
  const headers = Object.fromEntries(changed.filter(([name]) => name !== "CamelHttpResponseCode" && isStable(name)));
  return {
    ...match,
    respond: {
      ...(typeof status === "number" ? { status } : {}),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(JSON.stringify(next.body) === JSON.stringify(message.body) ? {} : { body: next.body }),
    },
  };
}

const isStable = (name: string): boolean => !volatileHeaders.test(name);

function whenOf({ routeId, trigger }: RunDetail, first: CapturedMessage | undefined): Json {
  const query = String(first?.headers["CamelHttpQuery"] ?? "");
  // Parameters of the query are headers of the message too.
  const parameters = new Set(new URLSearchParams(query).keys());
  const headers = Object.fromEntries(Object.entries(first?.headers ?? {}).filter(([name]) => isStable(name) && !parameters.has(name)));
  const message = { ...(Object.keys(headers).length === 0 ? {} : { headers }), ...(first === undefined || first.body === null ? {} : { body: first.body }) };
  if (trigger.method === undefined || trigger.path === undefined) return { route: routeId, ...message };
  return {
    webhook: routeId,
    ...(trigger.method === "POST" ? {} : { method: trigger.method }),
    ...(trigger.path === `/api/${routeId}` ? {} : { path: trigger.path }),
    ...(query === "" ? {} : { query }),
    ...message,
  };
}
