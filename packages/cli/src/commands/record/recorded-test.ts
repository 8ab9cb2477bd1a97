// From a captured run to a test: the answer of a step is the message before the next one.
import { flatParams } from "../../files/flow-params.ts";
import { createFlowChecker, staysInside } from "@sluice/server/check";

interface CapturedMessage {
  readonly stepId: string;
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface RecordedRun {
  readonly id: string;
  readonly routeId: string;
  readonly flowId: string;
  readonly status: string;
  readonly trigger: { readonly uri: string; readonly method?: string; readonly path?: string };
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | null } | null;
  readonly steps: readonly { readonly stepId: string; readonly kind: string }[];
  readonly messages?: readonly CapturedMessage[];
}

type Json = Readonly<Record<string, unknown>>;

/** Headers that the transport or the runtime sets anew. */
const volatile = /^(host|connection|content-length|accept-encoding|user-agent|date|traceparent|tracestate|x-test-session|transfer-encoding|Camel.*|\*.*)$/i;

export interface RecordedTest {
  readonly name: string;
  readonly mocks: readonly Json[];
  readonly when: Json;
  readonly then: readonly Json[];
}

/** The flow of a run as the runtime tells of it. */
export interface DeployedFlow {
  readonly yaml: string;
  readonly params?: Json;
}

/** The test without its expectations about the outcome. `children` are the runs that this one called. */
export function testOf(run: RecordedRun, children: readonly RecordedRun[], flow: DeployedFlow): RecordedTest {
  const params = flatParams(flow.params ?? {});
  const check = createFlowChecker();
  const read = (property: (name: string) => string | undefined) => check({ id: run.flowId, source: flow.yaml, property }).deployment;
  // A name without a value takes the default the flow gives it; only where there is none does anything stand for it.
  const deployment = read((name) => params[name]) ?? read((name) => params[name] ?? "0");
  const sends = (routeId: string): ReadonlySet<string> => {
    const steps = deployment?.routes.find(({ identity }) => identity.id === routeId)?.steps ?? [];
    return new Set(steps.filter(({ uri }) => uri !== undefined && !staysInside(uri)).map(({ node }) => node.id));
  };
  const mocks = [run, ...children].flatMap((one) => {
    const leaving = sends(one.routeId);
    const messages = one.messages ?? [];
    const captured = messages.flatMap((message, index) => (leaving.has(message.stepId) ? [mockOf(one, message, messages[index + 1])] : []));
    // A route that was not captured: nothing is known of its answers, but a test must not call out.
    const others =
      messages.length > 0
        ? []
        : one.steps.filter(({ stepId }) => leaving.has(stepId)).map(({ stepId }) => ({ id: stepId, match: { stepId, routeId: one.routeId }, respond: {} }));
    return [...captured, ...others];
  });
  return { name: `recorded ${run.id}`, mocks, when: whenOf(run, run.messages?.[0]), then: [{ status: run.status }] };
}

function mockOf({ error }: RecordedRun, message: CapturedMessage, next: CapturedMessage | undefined): Json {
  const match = { id: message.stepId, match: { stepId: message.stepId } };
  if (error !== null && error.stepId === message.stepId) return { ...match, throw: { type: error.type, message: error.message } };
  if (next === undefined) return { ...match, respond: {} };
  const changed = Object.entries(next.headers).filter(
    ([name, value]) => !/^(\*.*)$/.test(name) && JSON.stringify(message.headers[name]) !== JSON.stringify(value),
  );
  const status = next.headers["CamelHttpResponseCode"];
  const headers = Object.fromEntries(changed.filter(([name]) => name !== "CamelHttpResponseCode" && value(name)));
  return {
    ...match,
    respond: {
      ...(typeof status === "number" ? { status } : {}),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(JSON.stringify(next.body) === JSON.stringify(message.body) ? {} : { body: next.body }),
    },
  };
}

const value = (name: string): boolean => !volatile.test(name);

function whenOf({ routeId, trigger }: RecordedRun, first: CapturedMessage | undefined): Json {
  const headers = Object.fromEntries(Object.entries(first?.headers ?? {}).filter(([name]) => value(name)));
  const message = { ...(Object.keys(headers).length === 0 ? {} : { headers }), ...(first === undefined || first.body === null ? {} : { body: first.body }) };
  if (trigger.method === undefined || trigger.path === undefined) return { route: routeId, ...message };
  const [path, query] = trigger.path.split("?");
  return {
    webhook: routeId,
    ...(trigger.method === "POST" ? {} : { method: trigger.method }),
    ...(path === `/api/${routeId}` ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...message,
  };
}
