// Polls repeatedly and delivers the results item by item. A failure is logged once, and so is the first success after it.
import { Message, settlementOf, type Exchange, type Host, type Pattern, type Source, type SourceInput } from "@sluice/engine/spi";
import { tickClaim, Ticker } from "../ticking/ticker.ts";
import { pollPlan, scheduleOf, type PollOutcome, type ScheduleOptions } from "./poll-plan.ts";

export interface PollOptions extends ScheduleOptions {
  /** 0 for no limit. */
  readonly maxMessagesPerPoll: number;
  readonly sendEmptyMessageWhenIdle: boolean;
  readonly exchangePattern: Pattern;
  /** If false, the route never polls. */
  readonly startScheduler?: boolean;
}

export interface Polling<T> {
  /** The endpoint in short form, for triggers and the log. */
  readonly uri: string;
  readonly logger: string;
  readonly options: PollOptions;
  readonly host: Host;
  /** Called at each start; its failure fails the start. */
  prepare(): Promise<void>;
  /** The current items, in delivery order. */
  poll(): Promise<readonly T[]>;
  /** Why a poll failed, in one sentence; undefined when there is nothing to poll. */
  problemOf(error: unknown): string | undefined;
  /** Delivers one item and settles it; false when it is no longer available. `batch` has Camel's batch properties. */
  each(item: T, routeInput: SourceInput, batch: ReadonlyMap<string, unknown>): Promise<boolean>;
  /** Releases the resources of an item that is not delivered because the source stops. */
  discard?(item: T): Promise<void>;
}

/** How long a stop waits for the item in flight; after that it is still settled. */
const stopWaitMs = 5000;

export function polledSource<T>(polling: Polling<T>): Source {
  const { options, uri, host, logger } = polling;
  const { clock, log } = host;
  const schedule = scheduleOf(options);
  let ticker: Ticker | undefined;
  let currentPoll: Promise<PollOutcome> | undefined;
  let problem: string | undefined;

  const report = (routeInput: SourceInput, description: string, error: unknown): void => {
    if (description !== problem) log.write("WARN", logger, `${uri}: ${description}: ${error instanceof Error ? error.message : String(error)}`);
    problem = description;
    routeInput.lost(description);
  };
  const recover = (routeInput: SourceInput): void => {
    problem = undefined;
    log.write("INFO", logger, `${uri}: polling succeeded again`);
    routeInput.lost(undefined);
  };

  const pollOnce = async (routeInput: SourceInput, isStopped: () => boolean): Promise<PollOutcome> => {
    let items: readonly T[];
    try {
      items = await polling.poll();
    } catch (error) {
      const description = polling.problemOf(error);
      if (description !== undefined && !isStopped()) report(routeInput, description, error);
      return description === undefined ? "nothing" : "failed";
    }
    if (problem !== undefined && !isStopped()) recover(routeInput);
    const size = options.maxMessagesPerPoll > 0 ? Math.min(options.maxMessagesPerPoll, items.length) : items.length;
    let count = 0;
    for (const item of items) {
      if (isStopped() || count >= size) await polling.discard?.(item);
      else if (await polling.each(item, countDeliveries(routeInput), batchOf(count, size))) count++;
    }
    if (count === 0 && options.sendEmptyMessageWhenIdle && !isStopped())
      await routeInput.deliver(new Message(null), { trigger: { uri }, pattern: options.exchangePattern });
    return count > 0 ? "found" : "nothing";
  };

  return {
    claims: [],
    exclusive: true,
    async start(routeInput) {
      await polling.prepare();
      const plan = pollPlan(options, schedule, clock);
      const poll = (): Promise<void> => {
        currentPoll = pollOnce(routeInput, () => ticker !== started).finally(() => (currentPoll = undefined));
        return currentPoll.then((outcome) => plan.outcome(outcome));
      };
      // Items are settled one by one, so polls are not claimed: the right to run the schedule is sufficient.
      const started: Ticker = new Ticker(clock, plan, poll, tickClaim(routeInput, clock, { periodMs: 0, isCounted: false }));
      ticker?.stop();
      problem = undefined;
      ticker = started;
      if (options.startScheduler !== false) started.start();
    },
    async stop() {
      ticker?.stop();
      ticker = undefined;
      if (currentPoll === undefined) return;
      let cancel: (() => void) | undefined;
      const timeout = new Promise<void>((resolve) => (cancel = clock.after(stopWaitMs, resolve)));
      await Promise.race([currentPoll, timeout]);
      cancel?.();
    },
  };
}

/** Items are read again by a later poll unless they were settled. */
function countDeliveries(routeInput: SourceInput): SourceInput {
  const countSettlement = (exchange: Exchange): Exchange => {
    routeInput.count?.(settlementOf(exchange).kind === "done" ? "done" : "redelivered");
    return exchange;
  };
  return {
    route: routeInput.route,
    deliver(message, delivery) {
      routeInput.count?.("received");
      const outcome = routeInput.deliver(message, delivery);
      return outcome instanceof Promise ? outcome.then(countSettlement) : countSettlement(outcome);
    },
    enter: (exchange, trigger) => routeInput.enter(exchange, trigger),
    lost: (problem) => routeInput.lost(problem),
  };
}

function batchOf(index: number, size: number): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["CamelBatchIndex", index],
    ["CamelBatchSize", size],
    ["CamelBatchComplete", index + 1 === size],
  ]);
}
