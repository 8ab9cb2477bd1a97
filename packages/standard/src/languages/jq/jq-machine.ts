// What one evaluation of a jq program may spend and what it can see. Budgets count work, not time: the same message
// fails on every machine alike, and a full budget is used up well before other flows would notice.
import { FlowError, longestText, type Exchange } from "@sluice/engine/spi";

/** An error that jq programs can catch; its value may be any JSON value. */
export class JqError extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super(typeof value === "string" ? value : "jq error");
    this.value = value;
  }
}

/** Thrown by `break` and caught by its `label`. */
export class JqBreak extends Error {}

const workLimit = 1_000_000;

export class JqMachine {
  #work = 0;
  exchange: Exchange | undefined = undefined;
  body: unknown = null;
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  begin(body: unknown, exchange: Exchange): void {
    this.#work = 0;
    this.body = body;
    this.exchange = exchange;
  }

  /** Accounts for work: 1 is about one step of a program. */
  spend(work: number): void {
    this.#work += work;
    if (this.#work > workLimit)
      throw new FlowError("java.lang.IllegalStateException", "time limit: the jq program did more work than one evaluation may; it may not end at all", {
        code: "limit-time",
      });
  }

  /** Checks that a text of this length may be made, and accounts for it. */
  makeText(length: number): void {
    if (length > longestText)
      throw new FlowError("java.lang.IllegalStateException", `size limit: a text may not be longer than ${longestText} characters`, { code: "limit-size" });
    this.spend(length / 256);
  }
}
