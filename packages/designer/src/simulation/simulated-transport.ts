// A simulated runtime with the API of a real one, so that flow tests use the same runner.
import { openShape, type OpenBody } from "@sluice/model";
import type { RuntimeTransport, TransportReply } from "@sluice/flow-tests/portable";
import { finish, sendSample, settle } from "./simulate.ts";
import { startSimulated, type SimulatedFlow, type SimulatedRuntime } from "./simulated-runtime.ts";
import { SimulationMocks } from "./simulation-mocks.ts";

interface OpenSession {
  readonly simulated: SimulatedRuntime;
  readonly mocks: SimulationMocks;
  readonly body: OpenBody;
}

interface Invocation {
  readonly trigger?: string;
  readonly routeId?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const reply = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): TransportReply => ({
  status,
  headers,
  text: JSON.stringify(value),
});

/** Each session redeploys the flow, so that no state is shared between tests. */
export function simulatedTransport(flow: SimulatedFlow): RuntimeTransport {
  let current: OpenSession | undefined;

  async function openSession(rawBody: unknown): Promise<TransportReply> {
    const body = openShape.parse(rawBody);
    const started = await startSimulated(flow);
    if (!started.ok) {
      const [first] = started.diagnostics.filter(({ severity }) => severity === "error");
      return reply(422, { error: first === undefined ? "the flow cannot run" : `line ${first.span.line}: ${first.message}` });
    }
    const mocks = new SimulationMocks(started.simulated);
    try {
      mocks.install(body.mocks ?? [], body.unmatched === "fail");
      mocks.validateAssertions(body.assertions ?? []);
    } catch (error) {
      return reply(422, { error: (error as Error).message });
    }
    current = { simulated: started.simulated, mocks, body };
    return reply(201, { sessionId: "simulation" });
  }

  const sessionOf = ({ body }: OpenSession) => ({ id: "simulation", skipTime: body.time === "skip" });

  async function invoke(session: OpenSession, { trigger, routeId, ...message }: Invocation): Promise<TransportReply> {
    const { simulated } = session;
    const id = routeId ?? simulated.runtime.routeInputOf(trigger ?? "")?.route.id;
    if (id === undefined) return reply(404, { error: `no direct endpoint '${trigger}'` });
    const outcome = await sendSample(simulated, { body: null, headers: {}, ...withoutUndefined(message), routeId: id }, sessionOf(session));
    return typeof outcome === "string" ? reply(404, { error: outcome }) : reply(200, { runId: simulated.runs.at(-1)?.id, ...outcome.outcome });
  }

  async function calls({ simulated, mocks, body }: OpenSession): Promise<TransportReply> {
    await settle(simulated);
    return reply(200, { recordedCalls: mocks.calls, assertions: mocks.evaluateAssertions(body.assertions ?? []) });
  }

  return {
    async api(method, path, body) {
      if (method === "POST" && path === "/test/session") return openSession(body);
      if (current === undefined) return reply(404, { error: "no session is open" });
      if (path === "/test/invoke") return invoke(current, body as Invocation);
      if (path.startsWith("/runs")) return reply(200, { runs: runsOf(current.simulated).toReversed() });
      if (method !== "DELETE") return calls(current);
      const { simulated } = current;
      current = undefined;
      await finish(simulated, simulated.runtime.stop());
      return reply(200, { recordedCalls: [] });
    },
    async webhook(method, path, headers, body) {
      const [pathname = "", query = ""] = path.split("?", 2);
      if (current === undefined) return reply(404, { error: "no session is open" });
      const { simulated } = current;
      const routeId = [...simulated.runtime.routes.values()].find(({ trigger }) => trigger === "request")?.identity.id ?? "";
      const outcome = await sendSample(simulated, { routeId, method, path: pathname, query, headers, body }, sessionOf(current));
      if (typeof outcome === "string") return reply(404, { error: outcome });
      const { reply: httpReply } = outcome.outcome;
      return { status: httpReply?.status ?? 0, headers: httpReply?.headers ?? {}, text: httpReply?.body ?? "" };
    },
    followLog: () =>
      Promise.resolve({
        async lines() {
          if (current === undefined) return [];
          await settle(current.simulated);
          return current.simulated.host.lines;
        },
        close: () => undefined,
      }),
  };
}

/** The runs in the format of the management API, oldest first. */
function runsOf({ runs, recorder }: SimulatedRuntime) {
  return runs.map((run) => ({
    id: run.id,
    routeId: run.route.id,
    status: run.status,
    startedAt: new Date(run.startedAt).toISOString(),
    error: run.failure === undefined ? null : { type: run.failure.type, message: run.failure.message, stepId: run.failure.stepId ?? null },
    steps: recorder.steps
      .filter(({ runId }) => runId === run.id)
      .map(({ stepId, kind, error, durationMs }) => ({ stepId, kind, durationMs, status: error === undefined ? "completed" : "failed" })),
  }));
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;
}
