// Queries of the management API to the other nodes: runs, metrics, events, and calls that only the node that owns an item can execute.
import type { LocalReply } from "../http/local-call.ts";
import type { ResponderParts, ForwardedCall, MissingResponse, NodeQueries, OwnedItem } from "../other-nodes/node-queries.ts";
import type { FoundRuns, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import { ServiceError } from "../service-error.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";
import { StreamFanIn } from "./stream-fan-in.ts";

/** How long a list waits for nodes that do not respond. */
const listMs = 2_000;
/** How long a forwarded call may take, in addition to its own time limit. */
const callMs = 5_000;
const defaultCallMs = 60_000;
/** Bytes of runs in one response; the next page continues after them. */
const maxRunBytes = 8 * 1024 ** 2;

const runsTopic: Topic<RunFilter, FoundRuns> = { name: "runs" };
const metricsTopic: Topic<null, WorkerMetrics> = { name: "metrics" };
const ownerTopic: Topic<OwnedItem, boolean> = { name: "owner" };
const callTopic: Topic<ForwardedCall, LocalReply> = { name: "call" };

export class ClusterQueries implements NodeQueries {
  readonly node: string;
  readonly #others: OtherNodes;
  #streams: StreamFanIn | undefined = undefined;

  constructor(node: string, others: OtherNodes) {
    this.node = node;
    this.#others = others;
  }

  /** Starts to respond to requests of the other nodes; the returned functions stop this. */
  respond(parts: ResponderParts): readonly (() => void)[] {
    const others = this.#others;
    this.#streams = new StreamFanIn(others, parts.hubs);
    return [
      others.respond(runsTopic, async (filter) => limitRuns(await parts.runs(filter))),
      others.respond(metricsTopic, () => parts.metrics()),
      others.respond(ownerTopic, (item) => parts.has(item)),
      others.respond(callTopic, (call) => parts.call(call)),
      ...this.#streams.respond(),
    ];
  }

  async runs({ oldest: _, ...filter }: RunFilter): ReturnType<NodeQueries["runs"]> {
    const { responses, incomplete } = await this.#others.request(runsTopic, filter, { timeoutMs: listMs });
    // JSON omits undefined members.
    return { found: responses.map(({ response }) => ({ ...response, stopped: response.stopped })), incomplete };
  }

  async metrics(): ReturnType<NodeQueries["metrics"]> {
    const { responses, incomplete } = await this.#others.request(metricsTopic, null, { timeoutMs: listMs });
    return { present: responses.map(({ response }) => response), incomplete };
  }

  async watch(hub: EventHub, query: FilterQuery): Promise<void> {
    await this.#streams?.watch(hub, query, listMs);
  }

  async callOwner(item: OwnedItem, call: ForwardedCall): ReturnType<NodeQueries["callOwner"]> {
    const { responses, incomplete } = await this.#others.request(ownerTopic, item, { timeoutMs: listMs });
    const owner = responses.find(({ response }) => response)?.node;
    if (owner === undefined) return { reply: undefined, incomplete };
    return { reply: await this.callNode(owner, call), incomplete };
  }

  async callNode(node: string, call: ForwardedCall): Promise<LocalReply> {
    const { responses, incomplete } = await this.#others.request(callTopic, call, { to: [node], timeoutMs: timeoutOf(call) });
    const [reply] = responses;
    if (reply === undefined)
      throw new ServiceError("cluster-uncertain", `outcome unknown: ${namesOf(incomplete)}; check the state before you repeat the call`, {
        "Retry-After": "1",
      });
    return reply.response;
  }

  async callAll(call: ForwardedCall): ReturnType<NodeQueries["callAll"]> {
    const { responses, incomplete } = await this.#others.request(callTopic, call, { timeoutMs: listMs });
    return { replies: responses.map(({ response }) => response), incomplete };
  }
}

function timeoutOf({ method, body }: ForwardedCall): number {
  const requested = (body as { readonly timeoutMs?: unknown } | undefined)?.timeoutMs;
  return method === "GET" ? callMs : callMs + (typeof requested === "number" ? requested : defaultCallMs);
}

const namesOf = (failed: readonly MissingResponse[]): string => failed.map(({ node, reason }) => `node '${node}' ${reason}`).join(", ");

/** Keeps as many runs as fit into one response, and reports the last of them as the point where the search stopped. */
function limitRuns({ runs, total, stopped }: FoundRuns): FoundRuns {
  let bytes = 0;
  const count = runs.findIndex((run) => (bytes += JSON.stringify(run).length) > maxRunBytes);
  if (count < 1) return { runs, total, stopped };
  const last = runs[count - 1] as { readonly id: string; readonly startedAt: string };
  return { runs: runs.slice(0, count), total, stopped: { id: last.id, startedAt: Date.parse(last.startedAt) } };
}
