// The groups of one aggregate whose messages several processes share. Every process adds messages to the store. One process receives them, groups them in
// memory, and removes them when their group was processed. If it ends, another process receives all messages that were not removed.
import { FlowError, toFlowError, onExchangeEnd, type Awaitable, type Exchange, type Lifecycle, type Message } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type { GroupRun, PartGroup, PartQueue, PartReceiver, SharedAggregation, StoredPart } from "@sluice/engine/tools";
import { Groups, type GroupOptions } from "./groups.ts";

export interface SharedGroupOptions extends GroupOptions {
  readonly aggregation: SharedAggregation;
  readonly step: Parameters<SharedAggregation["share"]>[0];
  restore(message: Message): Exchange;
  /** Reports a failure as a separate run, because the run that added the message has already continued. */
  fail(exchange: Exchange, error: unknown): void;
}

/** After this many runs during which the process ended, a group fails instead of running again, because it may crash the process. */
const maxRuns = 5;

export class SharedGroups implements Lifecycle, PartReceiver {
  readonly #options: SharedGroupOptions;
  readonly #queue: PartQueue;
  readonly #groupOptions: GroupOptions;
  #groups: Groups | undefined = undefined;
  /** The ids of the messages of each open group, by key. */
  readonly #ids = new Map<string, string[]>();
  readonly #completing = new Set<Promise<void>>();

  constructor(options: SharedGroupOptions) {
    this.#options = options;
    this.#groupOptions = {
      ...options,
      maxMessages: options.aggregation.maxMessages,
      release: (group) => this.#complete(group),
      discarded: (key) => this.#queue.discard(this.#takeIds(key)),
    };
    this.#queue = options.aggregation.share(options.step, this);
  }

  start(): Awaitable {
    return this.#queue.start?.();
  }

  stop(): Awaitable {
    return this.#queue.stop?.();
  }

  add(key: string, exchange: Exchange): Promise<void> {
    return this.#queue.put(key, exchange);
  }

  completeAll(_by: "force", exchange: Exchange): Promise<void> {
    return this.#queue.put(undefined, exchange);
  }

  reset(): void {
    this.#groups?.drop();
    this.#ids.clear();
    this.#groups = new Groups(this.#groupOptions);
    this.#groups.start();
  }

  receive({ id, key, message, properties }: StoredPart): void {
    const groups = this.#groups;
    if (groups === undefined) return;
    if (key === undefined) return this.#whenDone(groups.completeAll("force"), () => this.#queue.discard([id]));
    const exchange = this.#restore(message, properties);
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, [id]);
    else ids.push(id);
    try {
      this.#whenDone(groups.add(key, exchange));
    } catch (error) {
      const rest = this.#ids.get(key)?.filter((other) => other !== id) ?? [];
      if (rest.length === 0) this.#ids.delete(key);
      else this.#ids.set(key, rest);
      this.#queue.discard([id]);
      this.#options.fail(exchange, error);
    }
  }

  rerun(group: PartGroup, parts: readonly StoredPart[], run: GroupRun): void {
    const exchanges = parts.map(({ message, properties }) => this.#restore(message, properties));
    const [first] = exchanges;
    if (first === undefined) return run.done();
    try {
      const merged = this.#merge(exchanges, group);
      if (run.repeated >= maxRuns) throw interruptedError(group, run);
      merged.message.headers.set("CamelRedelivered", true);
      merged.message.headers.set("CamelRedeliveryCounter", run.repeated);
      this.#run(merged, run);
    } catch (error) {
      run.done();
      this.#options.fail(first, error);
    }
  }

  async finish(): Promise<void> {
    const { forceCompletionOnStop, completeAllOnStop } = this.#options;
    if (forceCompletionOnStop || completeAllOnStop) await this.#groups?.completeAll("force");
    await Promise.all(this.#completing);
    this.#groups?.drop();
    this.#groups = undefined;
    this.#ids.clear();
  }

  #merge(exchanges: readonly Exchange[], { key, by }: PartGroup): Exchange {
    const { strategy } = this.#options;
    let merged: Exchange | undefined;
    for (const [index, next] of exchanges.entries()) {
      merged = strategy.aggregate(merged, next, merged ?? next);
      merged.setProperty("CamelAggregatedSize", index + 1);
    }
    const result = merged as Exchange;
    result.setProperty("CamelAggregatedCorrelationKey", key);
    result.setProperty("CamelAggregatedCompletedBy", by);
    strategy.complete?.(result);
    return result;
  }

  #restore(message: Message, properties: Map<string, unknown>): Exchange {
    const exchange = this.#options.restore(message);
    exchange.properties = properties;
    return exchange;
  }

  #takeIds(key: string): readonly string[] {
    const ids = this.#ids.get(key) ?? [];
    this.#ids.delete(key);
    return ids;
  }

  #complete(merged: Exchange): void {
    const key = asText(merged.property("CamelAggregatedCorrelationKey"));
    const by = asText(merged.property("CamelAggregatedCompletedBy"));
    const completing = this.#queue
      .complete({ key, by, ids: this.#takeIds(key) })
      .then((run) => {
        if (run !== undefined) this.#run(merged, run);
      })
      // Its messages stay in the store, so another process may still process the group.
      .catch((error: unknown) => {
        const { host, routeId } = this.#options;
        host.log.write("ERROR", routeId, `Aggregate: group '${key}' was not processed: ${toFlowError(error).message}`);
      })
      .finally(() => this.#completing.delete(completing));
    this.#completing.add(completing);
  }

  #run(merged: Exchange, run: GroupRun): void {
    onExchangeEnd(merged, (ended) => (ended.run.isCancelled ? run.rerun() : run.done()));
    this.#options.release(merged);
  }

  /** Calls `then` when the work is done; logs a failure. */
  #whenDone(pending: Awaitable, then?: () => void): void {
    const failed = (error: unknown): void => this.#options.host.log.write("WARN", this.#options.routeId, `Aggregate: ${toFlowError(error).message}`);
    if (pending !== undefined) void pending.then(then, failed);
    else then?.();
  }
}

const interruptedError = ({ key }: PartGroup, { repeated }: GroupRun): FlowError =>
  new FlowError(
    "java.lang.IllegalStateException",
    `group '${key}' was started ${repeated} times, and the process ended during each run; check whether its steps or messages crash the process`,
    {
      code: "group-interrupted",
    },
  );
