// What one evaluation of a jq program may spend and what it can see. The budget counts work, so that the same message fails on
// every machine alike; the clock ends what is slower than its work, before other flows would notice.
import { FlowError, longestText, type Clock, type Exchange } from "@sluice/engine/spi";
import { TimeSpent } from "../language-values/time-spent.ts";

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
const timeLimitMs = 150;
/** Work between two looks at the clock. */
const lookEvery = 1000;

export class JqMachine {
  #work = 0;
  exchange: Exchange | undefined = undefined;
  body: unknown = null;
  readonly now: () => number;
  readonly #time: TimeSpent;
  #nextLook = lookEvery;

  constructor(clock: Clock) {
    this.#time = new TimeSpent(clock);
    this.now = () => clock.now();
  }

  begin(body: unknown, exchange: Exchange): void {
    this.#work = 0;
    this.#nextLook = lookEvery;
    this.#time.begin();
    this.body = body;
    this.exchange = exchange;
  }

  /** Accounts for work: 1 is about one step of a program. */
  spend(work: number): void {
    this.#work += work;
    if (this.#work < this.#nextLook) return;
    this.#nextLook = this.#work + lookEvery;
    if (this.#work > workLimit || this.#time.isOver(timeLimitMs))
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
