// A flow deployed in the page: the real engine on a host without I/O.
import { createRuntime, type Deployment, type Exchange, type Run, type Runtime } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";
import { unavailableConnections, type RuntimeConnectors } from "./runtime-connectors.ts";
import { SimulatedHost } from "./simulated-host.ts";
import { SimulatedMappings, type Documents } from "./simulated-mappings.ts";
import { simulationCatalog } from "./simulation-catalog.ts";
import { StepRecorder } from "./step-recorder.ts";

export interface SimulatedFlow {
  readonly flowId: string;
  readonly source: string;
  /** Values of `{{name}}`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly tables?: Documents;
  readonly mappings?: Documents;
  /** Connectors and connections of the runtime. */
  readonly runtimeConnectors?: RuntimeConnectors;
}

export interface SimulatedRuntime {
  readonly runtime: Runtime;
  readonly deployment: Deployment;
  readonly host: SimulatedHost;
  readonly recorder: StepRecorder;
  /** All started runs, in order. */
  readonly runs: readonly Run[];
  /** Placeholders `{{name}}` without a value, which are replaced with their name. */
  readonly unresolvedParameters: readonly string[];
  /** The text of expressions that are compiled as conditions. */
  readonly conditions: ReadonlySet<string>;
}

export type Started = { readonly ok: true; readonly simulated: SimulatedRuntime } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const noConnectors: RuntimeConnectors = { connectors: [], classes: [] };
const unresolved = /^no value for parameter '(.+)'$/;
const limits = { drainMs: 100, exchanges: 20_000 };

/** Deploys a flow, or returns why that is not possible. */
export async function startSimulated(flow: SimulatedFlow): Promise<Started> {
  const { params = {}, runtimeConnectors = noConnectors } = flow;
  const mappings = new SimulatedMappings(flow.tables ?? {}, flow.mappings ?? {});
  const host = new SimulatedHost(mappings.lookup, unavailableConnections(runtimeConnectors));
  const recorder = new StepRecorder();
  const conditions = new Set<string>();
  const catalog = simulationCatalog({
    mappings: mappings.port,
    runtimeConnectors,
    unmocked: (exchange: Exchange) => recorder.mark(exchange, { unmocked: true }),
    condition: (text) => void conditions.add(text),
  });
  mappings.use(catalog, host);
  const runs: Run[] = [];
  const ignore = (): void => undefined;
  const listener = { started: (run: Run) => void runs.push(run), ended: ignore, retrying: ignore, routeChanged: ignore };
  const runtime = createRuntime({ catalog, host, listener, limits });
  const prepare = (values: Readonly<Record<string, string>>) =>
    runtime.prepare({
      id: flow.flowId,
      hash: "simulation",
      source: flow.source,
      property: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    });
  let prepared = prepare(params);
  const unresolvedParameters = [...new Set(prepared.diagnostics.flatMap(({ message }) => unresolved.exec(message)?.[1] ?? []))];
  if (unresolvedParameters.length > 0) prepared = prepare({ ...Object.fromEntries(unresolvedParameters.map((name) => [name, name])), ...params });
  if (prepared.deployment === undefined) return { ok: false, diagnostics: prepared.diagnostics };
  runtime.tap(recorder.tap);
  const starting = runtime.deploy(prepared.deployment);
  let failure: Error | undefined;
  let isDone = false;
  starting.then(
    () => (isDone = true),
    (error: Error) => {
      failure = error;
      isDone = true;
    },
  );
  await host.clock.runUntil(() => isDone);
  if (failure !== undefined || !isDone) {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
    return {
      ok: false,
      diagnostics: [
        { code: "flow-start-failed", severity: "error", message: failure?.message ?? "the flow did not finish starting in the simulation", path: "", span },
      ],
    };
  }
  return { ok: true, simulated: { runtime, deployment: prepared.deployment, host, recorder, runs, unresolvedParameters, conditions } };
}
