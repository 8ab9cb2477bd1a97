// Determines which flows must run on one node, and rejects flows with features that a cluster does not support yet, so that no flow runs with only a
// part of its features.
import type { Catalog, Deployment, Route, Tie } from "@sluice/engine";
import { schemeOf, type Diagnostic } from "@sluice/model";
import { masterOf, mastersOf } from "./slot-keys.ts";

type Connectors = Pick<Catalog, "connectors">;

/** Global and route variables are tied to one process. */
const sharedVariable = /\b(?:global|route):[\w$]/;

const keysReason = "is tied to one process, which stores its idempotency keys";

/** Endpoints with this scheme use the dead letters, which the nodes share. */
const deadLetterScheme = "sluice";

/** A cache, because a change of one flow is checked against all others, whose text may be long. */
const tiesCache = new WeakMap<Deployment, readonly string[]>();

/** Why a flow must run on one node; empty when every node may run it. Schedules and polls run on one node without tying the rest of their flow. */
export function tiesOf(deployment: Deployment, catalog: Connectors): readonly string[] {
  const ties = tiesCache.get(deployment) ?? findTies(deployment, catalog);
  tiesCache.set(deployment, ties);
  return ties;
}

function findTies(deployment: Deployment, catalog: Connectors): readonly string[] {
  if (deployment.placement === "all") return [];
  if (deployment.placement === "one") return ["its parameter sluice.placement is 'one'"];
  const reasons = deployment.routes.flatMap((route) => reasonsOf(route, catalog).map((reason) => `route '${route.identity.id}': ${reason}`));
  const texts = [deployment.flow.source, ...[...deployment.kamelets.values()].map(({ text }) => text)];
  return texts.some((text) => sharedVariable.test(text)) ? [...reasons, "global: and route: variables are tied to one process"] : reasons;
}

function reasonsOf({ placement, trigger, from }: Route, { connectors }: Connectors): readonly string[] {
  /** True for an endpoint whose messages stay in the memory of the node, as in a single runtime, or are in the store that the nodes share. */
  const isLocal = (uri: string): boolean => {
    const scheme = schemeOf(uri);
    return scheme === deadLetterScheme || connectors.get(scheme)?.trigger === "route";
  };
  const tied = placement.tiedBy.filter((tie: Tie) => {
    if (tie.kind === "endpoint") return tie.uri === undefined || !isLocal(tie.uri);
    if (tie.kind === "step") return tie.stateScope === "one";
    // `master:` ties its route only.
    return trigger === "request" && tie.isStored !== true && tie.master === undefined;
  });
  return tied.map((tie) => (tie.kind === "trigger" ? `'${from}' ${keysReason}` : tie.reason));
}

/** True for a webhook that stores idempotency keys in memory; it may be durable. */
const storesKeys = (route: Route): boolean =>
  route.trigger === "request" && masterOf(route) === undefined && route.placement.tiedBy.some(({ kind, isStored }) => kind === "trigger" && isStored !== true);

/** True for a route whose messages are in the queues that the nodes share: any node processes them. */
const isStoredSource = (route: Route): boolean =>
  masterOf(route) === undefined && route.placement.tiedBy.some(({ kind, isStored }) => kind === "trigger" && isStored === true);

/** True for a route that runs on the node where its request arrives, or where it is called. */
export const isPinnable = (route: Route): boolean =>
  (route.trigger === "request" || route.trigger === "route") && !isStoredSource(route) && !storesKeys(route) && masterOf(route) === undefined;

/**
 * Errors for a flow that must run on one node but has messages that other nodes process or send, or that calls such a flow. `others` are the deployed
 * flows.
 */
export function unsupportedParts(deployment: Deployment, catalog: Connectors, others: Iterable<Deployment>): readonly Diagnostic[] {
  const ties = tiesOf(deployment, catalog);
  const [tie] = ties;
  const problems = [...sharedMessageProblems(deployment, ties), ...masterProblems(deployment, ties)];
  for (const other of others) {
    if (other.id === deployment.id) continue;
    const [tieOfOther] = tiesOf(other, catalog);
    if (tieOfOther !== undefined)
      for (const [route, uri] of callsTo(deployment, other))
        problems.push(problem(deployment, route, `it calls '${uri}' of flow '${other.id}', but that flow runs on one node (${tieOfOther})`));
    if (tie !== undefined)
      for (const [, uri] of callsTo(other, deployment))
        problems.push(problem(deployment, undefined, `the flow must run on one node (${tie}), but flow '${other.id}' calls its '${uri}'`));
  }
  return problems;
}

/** Problems with messages that several nodes may process. Idempotency keys alone are not a problem: they are not used after a message is stored. */
function sharedMessageProblems(deployment: Deployment, ties: readonly string[]): readonly Diagnostic[] {
  const tie = ties.find((reason) => !reason.endsWith(keysReason));
  if (tie === undefined) return [];
  return deployment.routes.flatMap((route) => {
    if (isStoredSource(route))
      return [problem(deployment, route, `every node processes the messages of '${route.from}', but the flow must run on one node (${tie})`)];
    if (storesKeys(route)) return [problem(deployment, route, `'${route.from}' has idempotency keys, and the flow must run on one node (${tie})`)];
    return [];
  });
}

/** A flow that must run on one node runs on the node of its `master:` name, so it can have only one such name. */
function masterProblems(deployment: Deployment, [tie]: readonly string[]): readonly Diagnostic[] {
  const [first, ...others] = mastersOf(deployment);
  const durable = deployment.routes.filter((route) => masterOf(route) !== undefined && route.trigger === "request" && hasStoredMessages(route));
  return [
    ...durable.map((route) => problem(deployment, route, `every node processes the messages of a durable webhook, but '${route.from}' runs on one node`)),
    ...deployment.routes
      .filter((route) => tie !== undefined && others.includes(masterOf(route) as string))
      .map((route) => problem(deployment, route, `the flow must run on one node (${tie}), but 'master:' has the names '${first}' and '${masterOf(route)}'`)),
  ];
}

const hasStoredMessages = ({ placement }: Route): boolean => placement.tiedBy.some(({ isStored }) => isStored === true);

/** The calls of one flow to in-process endpoints of another. */
function callsTo(caller: Deployment, callee: Deployment): readonly (readonly [Route, string])[] {
  const sources = new Set(callee.routes.filter((route) => route.trigger === "route" && !isStoredSource(route)).map(({ from }) => endpointOf(from)));
  return caller.routes.flatMap((route) => {
    const { calls, tiedBy } = route.placement;
    const targets = [...calls, ...tiedBy.flatMap(({ uri }) => (uri === undefined ? [] : [uri]))];
    return targets.filter((uri) => sources.has(endpointOf(uri))).map((uri) => [route, uri] as const);
  });
}

/** An endpoint without options: `direct:a` for `direct://a?b=c`. */
const endpointOf = (uri: string): string => uri.replace(/\?.*$/s, "").replace(/^([a-z][\w+.-]*):\/*/i, "$1:");

function problem({ flow }: Deployment, route: Route | undefined, reason: string): Diagnostic {
  const span = flow.routes.find(({ id }) => id === route?.identity.id)?.span ?? { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
  const prefix = route === undefined ? "" : `route '${route.identity.id}': `;
  return { code: "cluster-unsupported", severity: "error", message: `${prefix}${reason}, which is not supported in a cluster yet`, path: "", span };
}
