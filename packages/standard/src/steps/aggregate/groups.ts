// The open groups of one aggregate. Their number and size are bounded: at the limit the oldest group is completed early and
// a warning is logged, because groups that never complete must not exhaust the memory.
import type { Awaitable, Exchange, Host, Lifecycle } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import type { AggregationStrategy } from "../../beans/aggregation-strategy.ts";
import { OldestKey } from "../../oldest-key.ts";
import { sessionKey } from "../session-key.ts";
import { lastCollected } from "../../beans/grouped.ts";
import { messageWeight, valueWeight } from "../message-weight.ts";
import { ClosedKeys } from "./closed-keys.ts";
import type { CompletedBy, CompletionCheck } from "./completion-check.ts";

export const maxGroups = 50_000;
const maxMessagesPerGroup = 100_000;
/** Estimated memory that all open groups of one step may use. */
const maxGroupBytes = 128 * 1024 * 1024;

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
  /** Maximum number of messages in all open groups; above it, the oldest group is completed early. */
  readonly maxMessages?: number;
  /** Runs a completed group as a separate run. */
  release(group: Exchange): void;
  /** Called when a group was discarded. */
  discarded?(key: string): void;
}

interface Group {
  readonly key: string;
  /** The test session of its messages. */
  readonly session: string | undefined;
  exchange: Exchange | undefined;
  size: number;
  /** Monotonic time of its timeout. */
  due: number;
  /** Estimated memory of its messages. */
  bytes: number;
}

export class Groups implements Lifecycle {
  readonly #options: GroupOptions;
  readonly #openGroups = new Map<string, Group>();
  readonly #oldest = new OldestKey(this.#openGroups);
  readonly #closed: ClosedKeys;
  #cancelTimer: (() => void) | undefined = undefined;
  #warned = 0;
  #bytes = 0;
  #messages = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.#closed = new ClosedKeys(options.closeCorrelationKeyOnCompletion);
  }

  start(): void {
    const { completionInterval, check, completionTimeoutCheckerInterval } = this.#options;
    if (completionInterval > 0) this.#repeat(completionInterval, () => this.completeAll("interval"));
    else if (check.hasTimeouts) this.#repeat(Math.max(10, completionTimeoutCheckerInterval), () => this.#expire());
  }

  stop(): Awaitable {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#options.forceCompletionOnStop || this.#options.completeAllOnStop) return this.completeAll("force");
    if (this.#openGroups.size > 0) this.#warn(`incomplete groups discarded because the flow stopped: ${this.#openGroups.size}`);
    this.drop();
  }

  /** Drops all open groups; nothing may be added afterwards. */
  drop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#openGroups.clear();
    this.#bytes = 0;
    this.#messages = 0;
  }

  /** Merges a message into its group and completes the group when a condition is met. */
  add(key: string, message: Exchange): Awaitable {
    const { strategy, check, eagerCheckCompletion, completionOnNewCorrelationGroup, maxMessages = Infinity } = this.#options;
    const groupId = sessionKey(message, key);
    this.#closed.check(groupId, key);
    let pending: Awaitable = completionOnNewCorrelationGroup && !this.#openGroups.has(groupId) ? this.completeAll("force", message) : undefined;
    const group = this.#openGroups.get(groupId) ?? this.#begin(groupId, key, message);
    const size = group.size + 1;
    let by: CompletedBy | undefined;
    if (eagerCheckCompletion) {
      message.setProperty("CamelAggregatedSize", size);
      by = check.isComplete(message, size);
    }
    const merged = this.#merge(groupId, group, message, strategy);
    merged.setProperty("CamelAggregatedSize", size);
    group.exchange = merged;
    group.size = size;
    this.#messages++;
    this.#updateSize(group, key, message, merged);
    if (!eagerCheckCompletion) by = check.isComplete(merged, size);
    if (by === "consumer") pending = waitForBoth(pending, this.completeAll("consumer", message));
    else if (by !== undefined) this.#complete(groupId, by);
    else if (size >= maxMessagesPerGroup) this.#completeEarly(groupId, `group '${key}' reached ${maxMessagesPerGroup} messages and was completed early`);
    else this.#setTimeout(group, eagerCheckCompletion ? message : merged);
    while (this.#bytes > maxGroupBytes && this.#openGroups.size > 0)
      this.#completeEarly(this.#oldest.next() as string, `open groups use more than ${maxGroupBytes} bytes: the oldest were completed early`);
    while (this.#messages > maxMessages)
      this.#completeEarly(this.#oldest.next() as string, `open groups have more than ${maxMessages} messages: the oldest were completed early`);
    return pending;
  }

  /** A list is measured incrementally, any other result as a whole. */
  #updateSize(group: Group, key: string, message: Exchange, merged: Exchange): void {
    const bytes = merged === message || group.bytes === 0 ? key.length * 2 + messageWeight(merged) : grownWeight(group.bytes, message, merged, key);
    this.#bytes += bytes - group.bytes;
    group.bytes = bytes;
  }

  /** Completes every group, or with `sender` only the groups of its test session. Yields between groups. */
  completeAll(by: CompletedBy, sender?: Exchange): Awaitable {
    const groupIds: string[] = [];
    for (const [groupId, { session }] of this.#openGroups) if (sender === undefined || session === sender.run.session?.id) groupIds.push(groupId);
    return each(groupIds.values(), (groupId) => this.#complete(groupId, by), this.#options.host.clock);
  }

  #begin(groupId: string, key: string, { run }: Exchange): Group {
    if (this.#openGroups.size >= maxGroups)
      this.#completeEarly(this.#oldest.next() as string, `more than ${maxGroups} open groups: the oldest were completed early`);
    const group: Group = { key, session: run.session?.id, exchange: undefined, size: 0, due: Infinity, bytes: 0 };
    this.#openGroups.set(groupId, group);
    return group;
  }

  #merge(groupId: string, group: Group, message: Exchange, strategy: AggregationStrategy): Exchange {
    try {
      return strategy.aggregate(group.exchange, message, group.exchange ?? message);
    } catch (error) {
      if (this.#options.discardOnAggregationFailure || group.exchange === undefined) {
        this.#remove(groupId, group);
        this.#options.discarded?.(group.key);
      }
      throw error;
    }
  }

  #setTimeout(group: Group, exchange: Exchange): void {
    const { check, host } = this.#options;
    if (!check.hasTimeouts) return;
    const timeoutMs = check.timeoutMs(exchange);
    group.due = timeoutMs > 0 ? host.clock.monotonic() + timeoutMs : Infinity;
  }

  #complete(groupId: string, by: CompletedBy): void {
    const group = this.#openGroups.get(groupId);
    if (group?.exchange === undefined) return;
    this.#remove(groupId, group);
    this.#closed.add(groupId);
    if (by === "timeout" && this.#options.discardOnCompletionTimeout) return this.#options.discarded?.(group.key);
    const { exchange } = group;
    exchange.setProperty("CamelAggregatedCorrelationKey", group.key);
    exchange.setProperty("CamelAggregatedCompletedBy", by);
    this.#options.strategy.complete?.(exchange);
    this.#options.release(exchange);
  }

  #remove(groupId: string, group: Group): void {
    this.#openGroups.delete(groupId);
    this.#bytes -= group.bytes;
    this.#messages -= group.size;
  }

  #expire(): Awaitable {
    const now = this.#options.host.clock.monotonic();
    const groupIds: string[] = [];
    for (const [groupId, group] of this.#openGroups) if (group.due <= now) groupIds.push(groupId);
    // A message that arrived in the meantime may have extended the timeout of a group.
    return each(
      groupIds.values(),
      (groupId) => {
        if ((this.#openGroups.get(groupId)?.due ?? Infinity) <= now) this.#complete(groupId, "timeout");
      },
      this.#options.host.clock,
    );
  }

  #completeEarly(groupId: string, reason: string): void {
    if (this.#warned++ % 1000 === 0) this.#warn(reason);
    this.#complete(groupId, "force");
  }

  #warn(text: string): void {
    this.#options.host.log.write("WARN", this.#options.routeId, `Aggregate: ${text}`);
  }

  #repeat(ms: number, run: () => Awaitable): void {
    this.#cancelTimer = this.#options.host.clock.after(ms, () => {
      this.#repeat(ms, run);
      void run();
    });
  }
}

/** Estimated size of a group whose result had `bytes` before the last message was merged. */
function grownWeight(bytes: number, message: Exchange, merged: Exchange, key: string): number {
  const collected = lastCollected(merged);
  if (collected !== undefined) return bytes + valueWeight(collected);
  const { body } = merged.message;
  const isList = typeof body === "object" && body !== null && !(body instanceof Uint8Array);
  return isList ? bytes + messageWeight(message) : key.length * 2 + messageWeight(merged);
}

function waitForBoth(first: Awaitable, second: Awaitable): Awaitable {
  return first === undefined || second === undefined ? (first ?? second) : Promise.all([first, second]).then(() => undefined);
}
