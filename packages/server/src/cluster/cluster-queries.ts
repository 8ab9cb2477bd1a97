// Queries of the management API to the other nodes: runs, metrics, events, and calls that only the node with an item can execute.
import type { LocalReply } from "../http/local-call.ts";
import type { AnswerParts, ForwardedCall, MissingAnswer, NodeQueries, OwnedItem } from "../other-nodes/node-queries.ts";
import type { FoundRuns, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import { Refusal } from "../refusal.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";
import { StreamFanIn } from "./stream-fan-in.ts";

/** How long a list waits for nodes that do not answer. */
const listMs = 2_000;
/** How long a forwarded call may take, in addition to its own time limit. */
const callMs = 5_000;
const defaultCallMs = 60_000;
/** Bytes of runs in one answer; the next page continues after them. */
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

  /** Answers the other nodes from now on; the returned functions end it. */
  answer(parts: AnswerParts): readonly (() => void)[] {
    const others = this.#others;
    this.#streams = new StreamFanIn(others, parts.hubs);
    return [
      others.answer(runsTopic, async (filter) => bounded(await parts.runs(filter))),
      others.answer(metricsTopic, () => parts.metrics()),
      others.answer(ownerTopic, (item) => parts.has(item)),
      others.answer(callTopic, (call) => parts.call(call)),
      ...this.#streams.answer(),
    ];
  }

  async runs({ oldest: _, ...filter }: RunFilter): ReturnType<NodeQueries["runs"]> {
    const { answers, incomplete } = await this.#others.ask(runsTopic, filter, { timeoutMs: listMs });
    // JSON has no undefined.
    return { found: answers.map(({ answer }) => ({ ...answer, stopped: answer.stopped })), incomplete };
  }

  async metrics(): ReturnType<NodeQueries["metrics"]> {
    const { answers, incomplete } = await this.#others.ask(metricsTopic, null, { timeoutMs: listMs });
    return { present: answers.map(({ answer }) => answer), incomplete };
  }

  async watch(hub: EventHub, query: FilterQuery): Promise<void> {
    await this.#streams?.watch(hub, query, listMs);
  }

  async callOwner(item: OwnedItem, call: ForwardedCall): ReturnType<NodeQueries["callOwner"]> {
    const { answers, incomplete } = await this.#others.ask(ownerTopic, item, { timeoutMs: listMs });
    const owner = answers.find(({ answer }) => answer)?.node;
    if (owner === undefined) return { reply: undefined, incomplete };
    return { reply: await this.callNode(owner, call), incomplete };
  }

  async callNode(node: string, call: ForwardedCall): Promise<LocalReply> {
    const { answers, incomplete } = await this.#others.ask(callTopic, call, { to: [node], timeoutMs: timeoutOf(call) });
    const [reply] = answers;
    if (reply === undefined) throw new Refusal("cluster-uncertain", `outcome unknown: ${namesOf(incomplete)}`, { "Retry-After": "1" });
    return reply.answer;
  }

  async callAll(call: ForwardedCall): ReturnType<NodeQueries["callAll"]> {
    const { answers, incomplete } = await this.#others.ask(callTopic, call, { timeoutMs: listMs });
    return { replies: answers.map(({ answer }) => answer), incomplete };
  }
}

function timeoutOf({ method, body }: ForwardedCall): number {
  const own = (body as { readonly timeoutMs?: unknown } | undefined)?.timeoutMs;
  return method === "GET" ? callMs : callMs + (typeof own === "number" ? own : defaultCallMs);
}

const namesOf = (failed: readonly MissingAnswer[]): string => failed.map(({ node, reason }) => `node '${node}' ${reason}`).join(", ");

/** As many runs as fit into an answer; the search then stopped at the last of them. */
function bounded({ runs, total, stopped }: FoundRuns): FoundRuns {
  let bytes = 0;
  const count = runs.findIndex((run) => (bytes += JSON.stringify(run).length) > maxRunBytes);
  if (count < 1) return { runs, total, stopped };
  const last = runs[count - 1] as { readonly id: string; readonly startedAt: string };
  return { runs: runs.slice(0, count), total, stopped: { id: last.id, startedAt: Date.parse(last.startedAt) } };
}
