// Sends the changes of the leader's state to the followers, one set at a time: a joining worker gets a snapshot, and then every later change.
import type { RuntimeLog } from "../log/runtime-log.ts";
import type { Calls } from "./calls.ts";
import type { Followers } from "./followers.ts";
import type { ChangeRequest } from "./messages.ts";
import type { Publication } from "./publication.ts";

/** A worker that does not apply a change within this time is replaced. */
const applyTimeoutMs = 30_000;
/** Changes are batched: they come in groups, such as the routes of a flow or the flows of a folder. */
const gatherMs = 10;
/** How often open sessions and captures are checked for expiry. */
const checkEveryMs = 1_000;

export class ChangeSender {
  readonly #calls: Calls;
  readonly #followers: Followers;
  readonly #publication: Publication;
  readonly #log: RuntimeLog;
  /** Resolves when the workers of a previous leader have joined this one. */
  readonly #complete: Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  #watchTimer: NodeJS.Timeout | undefined = undefined;

  constructor(calls: Calls, followers: Followers, publication: Publication, log: RuntimeLog) {
    this.#calls = calls;
    this.#followers = followers;
    this.#publication = publication;
    this.#log = log;
    this.#complete = new Promise((resolve) => calls.on("complete", () => resolve()));
  }

  /** Brings a worker up to date and adds it to the ready followers; `prepare` runs between the two. */
  join(follower: number, prepare: () => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      await this.#publication.advance();
      await this.#calls.call(follower, "change", { isSnapshot: true, changes: await this.#publication.snapshot() } satisfies ChangeRequest, applyTimeoutMs);
      await prepare();
      this.#followers.add(follower);
    });
  }

  /** Resolves when all followers have the current state. */
  async replicated(): Promise<void> {
    // Awaited outside the mutex, because joining workers need it.
    await this.#complete;
    await this.#exclusively(async () => {
      // Without followers, changes are collected when one joins.
      if (this.#followers.size === 0) return;
      const changes = await this.#publication.advance();
      if (changes.length > 0) await Promise.all([...this.#followers].map((follower) => this.#send(follower, { isSnapshot: false, changes })));
      this.#scheduleCheck();
    });
  }

  /** Call when the state may have changed; the followers get the change after a short delay. */
  changed(): void {
    if (this.#isScheduled || this.#followers.size === 0) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      void this.replicated();
    }, gatherMs);
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** A worker that cannot apply a change is replaced by the supervisor. */
  async #send(follower: number, change: ChangeRequest): Promise<void> {
    try {
      await this.#calls.call(follower, "change", change, applyTimeoutMs);
    } catch (error) {
      if (!this.#followers.has(follower)) return;
      this.#followers.delete(follower);
      this.#log.write("ERROR", "sluice.workers", `Worker ${follower} did not apply a change and is replaced: ${(error as Error).message}`);
      // The worker serves its old state until it has exited.
      await this.#calls.call("supervisor", "replace", { worker: follower });
    }
  }

  #scheduleCheck(): void {
    if (this.#watchTimer !== undefined || !this.#publication.mayExpire) return;
    this.#watchTimer = setTimeout(() => {
      this.#watchTimer = undefined;
      void this.replicated();
    }, checkEveryMs);
    this.#watchTimer.unref();
  }
}
