// Sends the changes of the leader's state to the followers, one set at a time: a joining worker gets a snapshot, and then every later change.
import type { RuntimeLog } from "../log/runtime-log.ts";
import type { Calls } from "./calls.ts";
import type { Members } from "./members.ts";
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
  readonly #members: Members;
  readonly #publication: Publication;
  readonly #log: RuntimeLog;
  /** Resolves when the workers of a previous leader have joined this one. */
  readonly #complete: Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  #watchTimer: NodeJS.Timeout | undefined = undefined;

  constructor(calls: Calls, members: Members, publication: Publication, log: RuntimeLog) {
    this.#calls = calls;
    this.#members = members;
    this.#publication = publication;
    this.#log = log;
    this.#complete = new Promise((resolve) => calls.on("complete", () => resolve()));
  }

  /** Brings a worker up to date and adds it to the members; `prepare` runs between the two. */
  join(member: number, prepare: () => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      await this.#publication.advance();
      await this.#calls.call(member, "change", { isSnapshot: true, changes: await this.#publication.snapshot() } satisfies ChangeRequest, applyTimeoutMs);
      await prepare();
      this.#members.add(member);
    });
  }

  /** Resolves when all followers have the current state. */
  async settled(): Promise<void> {
    // Awaited outside the mutex, because joining workers need it.
    await this.#complete;
    await this.#exclusively(async () => {
      // Without followers, changes are collected when one joins.
      if (this.#members.size === 0) return;
      const changes = await this.#publication.advance();
      if (changes.length > 0) await Promise.all([...this.#members].map((member) => this.#send(member, { isSnapshot: false, changes })));
      this.#scheduleCheck();
    });
  }

  /** Call when the state may have changed; the followers get the change after a short delay. */
  changed(): void {
    if (this.#isScheduled || this.#members.size === 0) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      void this.settled();
    }, gatherMs);
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** A worker that cannot apply a change is replaced by the supervisor. */
  async #send(member: number, change: ChangeRequest): Promise<void> {
    try {
      await this.#calls.call(member, "change", change, applyTimeoutMs);
    } catch (error) {
      if (!this.#members.has(member)) return;
      this.#members.delete(member);
      this.#log.write("ERROR", "sluice.workers", `Worker ${member} did not apply a change and is replaced: ${(error as Error).message}`);
      // The worker serves its old state until it has exited.
      await this.#calls.call("supervisor", "replace", { worker: member });
    }
  }

  #scheduleCheck(): void {
    if (this.#watchTimer !== undefined || !this.#publication.mayExpire) return;
    this.#watchTimer = setTimeout(() => {
      this.#watchTimer = undefined;
      void this.settled();
    }, checkEveryMs);
    this.#watchTimer.unref();
  }
}
