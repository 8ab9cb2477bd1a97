import type { Health, RouteHealth } from "@sluice/client";
import { textFlag, type Call } from "../../command/declaration.ts";
import { countOf, printResult } from "../../command/output.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { queryOf } from "../../runtime/query-flags.ts";
import { durationText } from "../../terminal/duration.ts";
import { fieldsText } from "../../terminal/fields.ts";
import { plainText } from "../../terminal/plain-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export async function run(call: Call): Promise<number> {
  const { flags, terminal } = call;
  const connection = await connect(flags);
  if (textFlag(flags, "probe") !== undefined) return probe(call, connection);
  // First: the health report needs no token, but without one it contains no details.
  const { total: deadLetters } = await connection.call("GET /dead-letters", { query: { limit: 1 } });
  const { total: flows } = await connection.call("GET /flows");
  const health = (await connection.call("GET /health", { query: queryOf("GET /health", flags) })) as Health;
  const { baseUrl } = connection;
  printResult(call, { baseUrl, ...health, flows, deadLetters }, () => statusText({ baseUrl, health, flows, deadLetters }, terminal));
  return health.status === "UP" ? 0 : 1;
}

async function probe(call: Call, connection: Connection): Promise<number> {
  const { status, body } = await connection.relay("GET", "/health", { query: queryOf("GET /health", call.flags) });
  const reply = JSON.parse(body) as { readonly status: string };
  printResult(call, reply, () => reply.status);
  return status === 200 ? 0 : 1;
}

interface Report {
  readonly baseUrl: string;
  readonly health: Health;
  readonly flows: number;
  readonly deadLetters: number;
}

function statusText({ baseUrl, health, flows, deadLetters }: Report, terminal: Terminal): string {
  const { status, routes, memory, eventLoopLagMs: lag, connections = [], workers = [], cluster } = health;
  const color = status === "UP" ? "green" : status === "DOWN" ? "red" : "yellow";
  const fields = fieldsText(
    [
      ["running for", `${durationText(health.uptime)}, since ${health.startedAt}`],
      ["version", `${health.engineVersion}, API ${health.apiVersion}`],
      ["flows", flows],
      ["routes", countsOf(routes.map((route) => route.status))],
      ["runs", `${sum(routes, "inflight")} in flight, ${sum(routes, "total")} since the start, ${sum(routes, "failed")} failed`],
      ["dead letters", deadLetters],
      ["connections", countsOf(connections.map(({ state }) => state))],
      ["workers", workers.length === 0 ? "" : workers.length],
      ["cluster", cluster === undefined ? "" : `'${cluster.name}' (${cluster.store}), ${countOf(cluster.nodes.length, "node")}, this is ${cluster.node}`],
      ["memory", memory === undefined ? "" : `${mebibytes(memory.rss)} MiB, heap ${mebibytes(memory.heapUsed)} of ${mebibytes(memory.heapTotal)} MiB`],
      ["event loop", lag === undefined ? "" : `lag p99 ${lag.p99} ms, max ${lag.max} ms`],
    ],
    terminal,
  );
  const problems = problemsOf(health).map((text) => `${terminal.style("red", "✗")} ${plainText(text)}`);
  return [`${terminal.style(["bold", color], status)}  ${baseUrl}`, fields, ...(problems.length === 0 ? [] : ["", ...problems])].join("\n");
}

/** What keeps the runtime from being UP, and routes that failed to start. */
function problemsOf(health: Health): readonly string[] {
  const { routes, failedFlows = [], failedPolicies = [], connections = [], store, cluster, incomplete = [], missingWorkers = 0 } = health;
  return [
    ...failedFlows.map(({ id, error }) => `flow '${id}': ${error}`),
    ...routes
      .filter(({ status }) => status === "Failed")
      .map(({ id, flowId, lastError }) => `route '${id}' of flow '${flowId}' is Failed${lastError ? `: ${lastError}` : ""}`),
    ...failedPolicies.map(({ flowId, error }) => `access policy of flow '${flowId}', whose webhooks are blocked: ${error}`),
    ...connections.filter(({ state }) => state === "down").map(({ id, since, problem }) => `connection '${id}' is down since ${since}: ${problem}`),
    ...(store === undefined || store === null ? [] : [`durable store, since ${store.since}: ${store.error}`]),
    ...(cluster?.connectivity === "disconnected" ? ["this node cannot reach the store of the cluster"] : []),
    ...(cluster?.nodes ?? []).flatMap(({ node, behind }) => behind.map(({ id, reason }) => `node '${node}' is behind: ${id}: ${reason}`)),
    ...incomplete.map(({ node, reason }) => `node '${node}' did not respond: ${reason}`),
    ...(missingWorkers === 0 ? [] : [`${countOf(missingWorkers, "worker")} exited and ${missingWorkers === 1 ? "is" : "are"} being replaced`]),
  ];
}

const sum = (routes: readonly RouteHealth[], member: "inflight" | "total" | "failed"): number => routes.reduce((total, route) => total + route[member], 0);

const mebibytes = (bytes: number): number => Math.round(bytes / 1_048_576);

/** `3 Started, 1 Failed`; empty without any. */
function countsOf(states: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}
