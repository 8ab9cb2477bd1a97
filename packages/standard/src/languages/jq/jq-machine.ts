// The limits and the context of one evaluation of a jq program. The budget counts work, so that the same message fails on every
// machine; a time limit also ends evaluations that are slower than their work suggests.
import { FlowError, type Clock, type Exchange } from "@sluice/engine/spi";
import { maxTextLength } from "@sluice/engine/values";
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
const timeLimitMs = 120;
/** Work between two reads of the clock. */
const workPerClockRead = 1000;

export class JqMachine {
  #work = 0;
  exchange: Exchange | undefined = undefined;
  body: unknown = null;
  readonly now: () => number;
  readonly #time: TimeSpent;
  #nextRead = workPerClockRead;

  constructor(clock: Clock) {
    this.#time = new TimeSpent(clock);
    this.now = () => clock.now();
  }

  begin(body: unknown, exchange: Exchange): void {
    this.#work = 0;
    this.#nextRead = workPerClockRead;
    this.#time.begin();
    this.body = body;
    this.exchange = exchange;
  }

  /** Accounts for work: 1 is about one step of a program. */
  spend(work: number): void {
    this.#work += work;
    if (this.#work < this.#nextRead) return;
    this.#nextRead = this.#work + workPerClockRead;
    if (this.#work > workLimit || this.#time.isOver(timeLimitMs))
      throw new FlowError(
        "java.lang.IllegalStateException",
        "time limit: the jq program exceeded the work limit of one evaluation; simplify it, or split the message first",
        { code: "limit-time" },
      );
  }

  /** Checks that a string of this length is allowed, and counts its work. */
  chargeText(length: number): void {
    if (length > maxTextLength)
      throw new FlowError("java.lang.IllegalStateException", `size limit: the text is longer than ${maxTextLength} characters`, { code: "limit-size" });
    this.spend(length / 256);
  }
}
