// The engine alone, on a host that does nothing.
import { createRuntime, defineConnector, entities } from "@sluice/engine";
import { beans, formats, languages, refused, steps } from "@sluice/standard";
import { f } from "@sluice/model";

const byName = (list) => new Map(list.map((declaration) => [declaration.name, declaration]));

let count = 0;
const ignore = () => undefined;

/** A host that does nothing: no HTTP, no history, no log. */
export const host = {
  clock: {
    now: () => 0,
    monotonic: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
  },
  log: { enabled: () => false, write: ignore },
  ids: { next: () => `b${count++}` },
  http: { mount: () => ignore },
  lookup: { find: () => undefined },
  globals: new Map(),
  random: () => 0.5,
  environment: () => undefined,
};

export function engineRuntime() {
  const probe = defineConnector({
    scheme: "probe",
    title: "Probe",
    summary: "Delivers messages of the benchmark.",
    group: "testing",
    since: "0.1",
    syntax: "probe:name",
    roles: ["source"],
    path: { name: f.string({ doc: "Name.", required: true }) },
    options: {},
    headers: {},
    examples: [],
    connect: () => ({ source: () => ({ claims: [], exclusive: false, start: () => undefined, stop: () => undefined }) }),
  });
  return createRuntime({
    catalog: {
      steps: byName(steps),
      languages: byName(languages),
      formats: byName(formats),
      entities: byName(entities),
      beans: new Map(beans.flatMap((bean) => bean.names.map((name) => [name, bean]))),
      connectors: new Map([["probe", probe]]),
      refused,
      defaultLanguage: "simple",
    },
    host,
    listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore },
  });
}

/** Deploys one route and returns its input. */
export async function deployRoute(runtime, steps) {
  const source = `- route:\n    id: bench\n    from:\n      uri: probe:bench\n      steps:\n${steps.map((step) => `        - ${step}`).join("\n")}\n`;
  const { deployment, diagnostics } = runtime.prepare({ id: "bench", hash: "0", source, property: () => undefined });
  if (deployment === undefined) throw new Error(diagnostics.map(({ message, span }) => `line ${span.line}: ${message}`).join("; "));
  await runtime.deploy(deployment);
  return runtime.routes.get("bench").routeInput;
}
