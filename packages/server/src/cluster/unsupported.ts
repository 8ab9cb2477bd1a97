// Rejects what is not supported in a cluster yet, so that no flow runs with a part of its features.
import type { Catalog, Deployment, Route, Tie } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";

/** Global and route variables are tied to one process. */
const sharedVariable = /\b(?:global|route):[\w$]/;

/** The nodes share the dead letters. */
const deadLetterScheme = "sluice";

/** Errors for the parts of a flow that need one process. */
export function unsupportedParts(deployment: Deployment, catalog: Pick<Catalog, "connectors">): readonly Diagnostic[] {
  const found = deployment.routes.flatMap((route) => reasonsOf(route, catalog).map((reason) => problem(deployment, route, reason)));
  const texts = [deployment.flow.source, ...[...deployment.kamelets.values()].map(({ text }) => text)];
  if (texts.some((text) => sharedVariable.test(text))) found.push(problem(deployment, undefined, "global: and route: variables are tied to one process"));
  return found;
}

function reasonsOf({ placement, trigger, from }: Route, { connectors }: Pick<Catalog, "connectors">): readonly string[] {
  /** Messages stay in the memory of the node, as in a single runtime, or in the queues that the nodes share. */
  const isLocal = (uri: string): boolean => {
    const scheme = schemeOf(uri);
    return scheme === deadLetterScheme || connectors.get(scheme)?.trigger === "route";
  };
  const tied = placement.tiedBy.filter((tie: Tie) => {
    if (tie.kind === "endpoint") return tie.uri === undefined || !isLocal(tie.uri);
    if (tie.kind === "step") return tie.stateScope === "one";
    // Schedules and polls run on the node that holds the slot of the flow.
    return trigger === "request" && tie.isStored !== true;
  });
  return tied.map((tie) => (tie.kind === "trigger" ? `'${from}' is tied to one process, which keeps its idempotency keys` : tie.reason));
}

const schemeOf = (uri: string): string => /^[a-z][\w+.-]*/i.exec(uri)?.[0] ?? "";

function problem({ flow }: Deployment, route: Route | undefined, reason: string): Diagnostic {
  const span = flow.routes.find(({ id }) => id === route?.identity.id)?.span ?? { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
  const place = route === undefined ? "" : `route '${route.identity.id}': `;
  return { code: "cluster-unsupported", severity: "error", message: `${place}${reason}, which is not supported in a cluster yet`, path: "", span };
}

/** Endpoints whose effect would be limited to the node that answers. */
const refused: readonly { readonly methods: readonly string[]; readonly path: RegExp; readonly reason: string }[] = [
  { methods: ["POST", "DELETE", "PUT"], path: /^\/test\/session/, reason: "test sessions are not supported in a cluster yet" },
  { methods: ["PUT", "POST"], path: /\/capture$/, reason: "captures are not supported in a cluster yet" },
  { methods: ["POST", "DELETE"], path: /^\/breakpoints/, reason: "breakpoints are not supported in a cluster yet" },
];

export const refusalOf = ({ method, path }: { readonly method: string; readonly path: string }): string | undefined =>
  refused.find((rule) => rule.methods.includes(method) && rule.path.test(path))?.reason;
