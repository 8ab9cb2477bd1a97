// The groups of one aggregate in a repository outside the process. Every message reads its group, merges into it and writes it back before
// its run continues, so that every acknowledged message is in the repository. Groups survive a restart.
import { ending, FlowError, toFlowError, onExchangeEnd, type Exchange, type Lifecycle, type Message, type Processor } from "@sluice/engine/spi";
import { copyExchange, createKeyedMutex, type AggregatedGroup, type AggregationRepository, type StoredGroup } from "@sluice/engine/tools";
import { ClosedKeys } from "./closed-keys.ts";
import type { CompletedBy } from "./completion-check.ts";
import type { GroupOptions } from "./groups.ts";

export interface StoredGroupOptions extends GroupOptions {
  readonly repository: AggregationRepository;
  restore(message: Message): Exchange;
  /** The endpoint for completed groups that failed too many times; undefined when the repository has none. */
  readonly deadLetter: Processor | undefined;
}

/** Maximum number of times a merge is repeated because another process changed the group in the meantime. */
const maxConflicts = 100;
const sizeProperty = "CamelAggregatedSize";

export class StoredGroups implements Lifecycle {
  readonly #options: StoredGroupOptions;
  readonly #mutex = createKeyedMutex();
  readonly #closed: ClosedKeys;
  /** When groups time out. This is a cache: the value in the repository is authoritative. */
  readonly #due = new Map<string, number>();
  /** Completed groups that this process is processing. */
  readonly #running = new Set<string>();
  readonly #attempts = new Map<string, number>();
  readonly #cancelTimers = new Set<() => void>();
  #isLoaded = false;

  constructor(options: StoredGroupOptions) {
    this.#options = options;
    this.#closed = new ClosedKeys(options.closeCorrelationKeyOnCompletion);
  }

  start(): void {
    const { completionInterval, check, completionTimeoutCheckerInterval, repository } = this.#options;
    if (completionInterval > 0) this.#repeat(completionInterval, () => this.completeAll("interval"));
    else if (check.hasTimeouts) this.#repeat(Math.max(10, completionTimeoutCheckerInterval), () => this.#expire());
    if (repository.recovery !== undefined) {
      this.#repeat(repository.recovery.intervalMs, () => this.#recover());
      this.#inBackground(() => this.#recover());
    }
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancelTimers) cancel();
    this.#cancelTimers.clear();
    if (this.#options.forceCompletionOnStop || this.#options.completeAllOnStop) await this.completeAll("force");
  }

  async add(key: string, message: Exchange): Promise<void> {
    this.#closed.check(key, key);
    const by = await this.#mutex.run(key, () => this.#add(key, message));
    if (by === "consumer") await this.completeAll("consumer");
  }

  completeAll(by: CompletedBy): Promise<void> {
    return this.#completeExcept(undefined, by);
  }

  async #completeExcept(except: string | undefined, by: CompletedBy): Promise<void> {
    for (const key of await this.#options.repository.list("open"))
      if (key !== except) await this.#mutex.run(key, () => this.#completeStored(key, by, () => true));
  }

  async #add(key: string, message: Exchange): Promise<CompletedBy | undefined> {
    const { repository, strategy, check, host, eagerCheckCompletion, completionOnNewCorrelationGroup, discardOnAggregationFailure } = this.#options;
    for (let conflicts = 0; conflicts <= maxConflicts; conflicts++) {
      const stored = await repository.get("open", key);
      if (stored === undefined && completionOnNewCorrelationGroup) await this.#completeExcept(key, "force");
      // A strategy may change the message, so every attempt starts with a fresh copy.
      const next = copyExchange(message, host.ids);
      const old = stored === undefined ? undefined : this.#exchangeOf(stored, copyExchange(message, host.ids, { message: stored.message }));
      const size = sizeOf(stored) + 1;
      if (eagerCheckCompletion) next.setProperty(sizeProperty, size);
      const eagerly = eagerCheckCompletion ? check.isComplete(next, size) : undefined;
      const timeoutMs = eagerCheckCompletion && check.hasTimeouts ? check.timeoutMs(next) : undefined;
      let merged: Exchange;
      try {
        merged = strategy.aggregate(old, next, old ?? next);
      } catch (error) {
        if (discardOnAggregationFailure && stored !== undefined && !(await this.#discard(key, stored))) continue;
        throw error;
      }
      merged.setProperty(sizeProperty, size);
      const by = eagerCheckCompletion ? eagerly : check.isComplete(merged, size);
      const isStored =
        by === undefined || by === "consumer"
          ? await this.#put(key, merged, timeoutMs ?? (check.hasTimeouts ? check.timeoutMs(merged) : 0), stored?.version)
          : await this.#complete(key, merged, by, stored?.version);
      if (isStored) return by;
    }
    throw new FlowError(
      "org.apache.camel.spi.OptimisticLockingAggregationRepository$OptimisticLockingException",
      `group '${key}' was changed by another process ${maxConflicts} times in a row; process its messages in one runtime only`,
      { code: "aggregation-conflict", retryable: true },
    );
  }

  async #put(key: string, merged: Exchange, timeoutMs: number, version: number | undefined): Promise<boolean> {
    const dueAt = timeoutMs > 0 ? this.#options.host.clock.now() + timeoutMs : undefined;
    if (!(await this.#options.repository.put(key, groupOf(merged, dueAt), version))) return false;
    if (dueAt === undefined) this.#due.delete(key);
    else this.#due.set(key, dueAt);
    return true;
  }

  async #completeStored(key: string, by: CompletedBy, applies: (stored: StoredGroup) => boolean): Promise<void> {
    const { repository, restore } = this.#options;
    const stored = await repository.get("open", key);
    if (stored === undefined) this.#due.delete(key);
    else if (!applies(stored)) this.#due.set(key, stored.dueAt ?? Infinity);
    else await this.#complete(key, this.#exchangeOf(stored, restore(stored.message)), by, stored.version);
  }

  async #complete(key: string, merged: Exchange, by: CompletedBy, version: number | undefined): Promise<boolean> {
    const { strategy, discardOnCompletionTimeout } = this.#options;
    merged.setProperty("CamelAggregatedCorrelationKey", key);
    merged.setProperty("CamelAggregatedCompletedBy", by);
    strategy.complete?.(merged);
    const id = await this.#storeCompleted(key, groupOf(merged, undefined), version);
    if (id === undefined) return false;
    this.#closed.add(key);
    if (by === "timeout" && discardOnCompletionTimeout) await this.#confirm(id);
    else this.#release(id, merged);
    return true;
  }

  /** Removes an open group without processing it; false when another process changed it. */
  async #discard(key: string, stored: StoredGroup): Promise<boolean> {
    const id = await this.#storeCompleted(key, stored, stored.version);
    if (id === undefined) return false;
    await this.#confirm(id);
    return true;
  }

  /** The id of the completed group; undefined when another process changed the open group. */
  async #storeCompleted(key: string, group: AggregatedGroup, version: number | undefined): Promise<string | undefined> {
    const { repository, host } = this.#options;
    const id = host.ids.next();
    // Registered before it is stored, so that recovery does not process it too.
    this.#running.add(id);
    let isStored = false;
    try {
      isStored = await repository.complete(key, id, group, version);
    } finally {
      if (!isStored) this.#running.delete(id);
    }
    if (isStored) this.#due.delete(key);
    return isStored ? id : undefined;
  }

  #release(id: string, group: Exchange): void {
    onExchangeEnd(group, async (ended) => {
      const hasFailed = ended.failure !== undefined || ended.ending === ending.rolledBack;
      if (!hasFailed) await this.#confirm(id);
      else this.#running.delete(id);
    });
    this.#options.release(group);
  }

  async #confirm(id: string): Promise<void> {
    try {
      await this.#options.repository.confirm(id);
      this.#attempts.delete(id);
    } finally {
      this.#running.delete(id);
    }
  }

  async #expire(): Promise<void> {
    const { repository, host } = this.#options;
    if (!this.#isLoaded) {
      for (const key of await repository.list("open")) this.#due.set(key, (await repository.get("open", key))?.dueAt ?? Infinity);
      this.#isLoaded = true;
    }
    const now = host.clock.now();
    for (const [key, due] of this.#due)
      // A message from another process may have extended the timeout.
      if (due <= now) await this.#mutex.run(key, () => this.#completeStored(key, "timeout", ({ dueAt }) => dueAt !== undefined && dueAt <= now));
  }

  /** Runs completed groups that are not confirmed: their run failed, or the process ended before it finished. */
  async #recover(): Promise<void> {
    const { repository, restore, deadLetter } = this.#options;
    for (const id of await repository.list("completed")) {
      if (this.#running.has(id)) continue;
      this.#running.add(id);
      try {
        const stored = await repository.get("completed", id);
        if (stored === undefined) {
          this.#running.delete(id);
          continue;
        }
        const attempts = (this.#attempts.get(id) ?? 0) + 1;
        this.#attempts.set(id, attempts);
        const group = this.#exchangeOf(stored, restore(stored.message));
        const maxRedeliveries = repository.recovery?.maximumRedeliveries ?? 0;
        if (deadLetter !== undefined && maxRedeliveries > 0 && attempts > maxRedeliveries) {
          await deadLetter(group);
          await this.#confirm(id);
          continue;
        }
        group.message.headers.set("CamelRedelivered", true);
        group.message.headers.set("CamelRedeliveryCounter", attempts);
        this.#release(id, group);
      } catch (error) {
        this.#running.delete(id);
        throw error;
      }
    }
  }

  #exchangeOf({ properties }: StoredGroup, exchange: Exchange): Exchange {
    exchange.properties = properties;
    return exchange;
  }

  #repeat(ms: number, run: () => Promise<void>): void {
    const cancel = this.#options.host.clock.after(ms, () => {
      this.#cancelTimers.delete(cancel);
      this.#repeat(ms, run);
      this.#inBackground(run);
    });
    this.#cancelTimers.add(cancel);
  }

  #inBackground(run: () => Promise<void>): void {
    run().catch((error: unknown) =>
      this.#options.host.log.write(
        "WARN",
        this.#options.routeId,
        `Aggregate: the check of the stored groups failed and will be repeated: ${toFlowError(error).message}`,
      ),
    );
  }
}

const sizeOf = (stored: StoredGroup | undefined): number => Number(stored?.properties?.get(sizeProperty) ?? 0);

const groupOf = ({ message, properties }: Exchange, dueAt: number | undefined): AggregatedGroup => ({ message, properties, dueAt });
