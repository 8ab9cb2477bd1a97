// The open groups of one aggregate. Their number and size are bounded: at the limit the oldest group is finished early
// and the log says so, because a flow whose groups never finish must not fill the memory.
import { FlowError, type Exchange, type Host, type Lifecycle } from "@sluice/engine/spi";
import type { AggregationStrategy } from "../../beans/aggregation-strategy.ts";
import { OldestKey } from "../../oldest-key.ts";
import { sessionKey } from "../session-key.ts";
import { messageWeight } from "../message-weight.ts";
import type { CompletedBy, CompletionCheck } from "./completion-check.ts";

export const mostGroups = 50_000;
const mostMessagesPerGroup = 100_000;
/** Memory the open groups of one step may take together, estimated. */
const mostGroupBytes = 64 * 1024 * 1024;
const mostClosedKeys = 100_000;

export interface GroupOptions {
  readonly strategy: AggregationStrategy;
  readonly check: CompletionCheck;
  readonly host: Host;
  readonly routeId: string;
  readonly completionInterval: number;
  readonly completionTimeoutCheckerInterval: number;
  readonly completionOnNewCorrelationGroup: boolean;
  readonly eagerCheckCompletion: boolean;
  readonly closeCorrelationKeyOnCompletion?: number | undefined;
  readonly discardOnCompletionTimeout: boolean;
  readonly discardOnAggregationFailure: boolean;
  readonly forceCompletionOnStop: boolean;
  readonly completeAllOnStop: boolean;
  /** Runs a finished group on its own. */
  release(group: Exchange): void;
}

interface Group {
  readonly key: string;
  /** The test session its messages are of. */
  readonly session: string | undefined;
  exchange: Exchange | undefined;
  size: number;
  /** Monotonic time at which it is given up waiting. */
  due: number;
  /** Memory its messages take, estimated. */
  bytes: number;
}

export class Groups implements Lifecycle {
  readonly #options: GroupOptions;
  readonly #open = new Map<string, Group>();
  readonly #oldest = new OldestKey(this.#open);
  readonly #closed = new Set<string>();
  readonly #oldestClosed = new OldestKey(this.#closed);
  #cancelTimer: (() => void) | undefined = undefined;
  #warned = 0;
  #bytes = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  start(): void {
    const { completionInterval, check, completionTimeoutCheckerInterval } = this.#options;
    if (completionInterval > 0) this.#repeat(completionInterval, () => this.completeAll("interval"));
    else if (check.hasTimeouts) this.#repeat(Math.max(10, completionTimeoutCheckerInterval), () => this.#expire());
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#options.forceCompletionOnStop || this.#options.completeAllOnStop) this.completeAll("force");
    else if (this.#open.size > 0) this.#warn(`${this.#open.size} unfinished groups are dropped because the flow stops`);
    this.#open.clear();
    this.#bytes = 0;
  }

  /** Merges a message into its group and finishes the group when its time has come. */
  add(key: string, message: Exchange): void {
    const { strategy, check, eagerCheckCompletion, completionOnNewCorrelationGroup } = this.#options;
    const place = sessionKey(message, key);
    if (this.#closed.has(place))
      throw new FlowError("org.apache.camel.processor.aggregate.ClosedCorrelationKeyException", `The correlation key '${key}' has been closed`, {
        code: "correlation-key-closed",
      });
    if (completionOnNewCorrelationGroup && !this.#open.has(place)) this.completeAll("force", message);
    const group = this.#open.get(place) ?? this.#begin(place, key, message);
    const size = group.size + 1;
    let by: CompletedBy | undefined;
    if (eagerCheckCompletion) {
      message.setProperty("CamelAggregatedSize", size);
      by = check.isComplete(message, size);
    }
    const merged = this.#merge(place, group, message, strategy);
    merged.setProperty("CamelAggregatedSize", size);
    group.exchange = merged;
    group.size = size;
    this.#weigh(group, key, message, merged);
    if (!eagerCheckCompletion) by = check.isComplete(merged, size);
    if (by === "consumer") this.completeAll("consumer", message);
    else if (by !== undefined) this.#complete(place, by);
    else if (size >= mostMessagesPerGroup) this.#finishEarly(place, `group '${key}' has reached ${mostMessagesPerGroup} messages and is finished early`);
    else this.#wait(group, eagerCheckCompletion ? message : merged);
    while (this.#bytes > mostGroupBytes && this.#open.size > 0)
      this.#finishEarly(this.#oldest.next() as string, `the open groups hold more than ${mostGroupBytes} bytes: the oldest are finished early`);
  }

  /** A list grows by the message; anything else is weighed as it now is. */
  #weigh(group: Group, key: string, message: Exchange, merged: Exchange): void {
    const isList = merged !== message && typeof merged.message.body === "object" && !(merged.message.body instanceof Uint8Array);
    const bytes = isList ? Math.max(group.bytes, key.length) + messageWeight(message) : key.length + messageWeight(merged);
    this.#bytes += bytes - group.bytes;
    group.bytes = bytes;
  }

  /** Finishes every group, or those of the test session this message is of; a message of none means the groups of none. */
  completeAll(by: CompletedBy, among?: Exchange): void {
    for (const [place, { session }] of this.#open) if (among === undefined || session === among.run.session?.id) this.#complete(place, by);
  }

  #begin(place: string, key: string, { run }: Exchange): Group {
    if (this.#open.size >= mostGroups) this.#finishEarly(this.#oldest.next() as string, `more than ${mostGroups} open groups: the oldest are finished early`);
    const group: Group = { key, session: run.session?.id, exchange: undefined, size: 0, due: Infinity, bytes: 0 };
    this.#open.set(place, group);
    return group;
  }

  #merge(place: string, group: Group, message: Exchange, strategy: AggregationStrategy): Exchange {
    try {
      return strategy.aggregate(group.exchange, message, group.exchange ?? message);
    } catch (thrown) {
      if (this.#options.discardOnAggregationFailure || group.exchange === undefined) {
        this.#open.delete(place);
        this.#bytes -= group.bytes;
      }
      throw thrown;
    }
  }

  #wait(group: Group, exchange: Exchange): void {
    const { check, host } = this.#options;
    if (!check.hasTimeouts) return;
    const timeoutMs = check.timeoutMs(exchange);
    group.due = timeoutMs > 0 ? host.clock.monotonic() + timeoutMs : Infinity;
  }

  #complete(place: string, by: CompletedBy): void {
    const group = this.#open.get(place);
    if (group?.exchange === undefined) return;
    this.#open.delete(place);
    this.#bytes -= group.bytes;
    this.#close(place);
    if (by === "timeout" && this.#options.discardOnCompletionTimeout) return;
    const { exchange } = group;
    exchange.setProperty("CamelAggregatedCorrelationKey", group.key);
    exchange.setProperty("CamelAggregatedCompletedBy", by);
    this.#options.strategy.complete?.(exchange);
    this.#options.release(exchange);
  }

  #close(place: string): void {
    const { closeCorrelationKeyOnCompletion: remembered } = this.#options;
    if (remembered === undefined) return;
    this.#closed.add(place);
    const most = remembered === 0 ? mostClosedKeys : Math.min(remembered, mostClosedKeys);
    if (this.#closed.size > most) this.#closed.delete(this.#oldestClosed.next() as string);
  }

  #expire(): void {
    const now = this.#options.host.clock.monotonic();
    for (const [place, group] of this.#open) if (group.due <= now) this.#complete(place, "timeout");
  }

  #finishEarly(place: string, reason: string): void {
    if (this.#warned++ % 1000 === 0) this.#warn(reason);
    this.#complete(place, "force");
  }

  #warn(text: string): void {
    this.#options.host.log.write("WARN", this.#options.routeId, `aggregate: ${text}`);
  }

  #repeat(ms: number, run: () => void): void {
    this.#cancelTimer = this.#options.host.clock.after(ms, () => {
      this.#repeat(ms, run);
      run();
    });
  }
}
