// A message and its state while it passes through routes. The object shape is fixed for speed: every field is assigned in the constructor, in this order,
// and none is added or deleted later. Methods are private by type only, because a `#method` would add a brand to every exchange.
import type { UnitOfWork } from "./unit-of-work.ts";
import type { StepNode } from "@sluice/model";
import type { FlowError } from "../errors/flow-error.ts";
import { copyEntries } from "./copy-entries.ts";
import type { Message } from "./message.ts";
import type { Run } from "./run.ts";

export type Pattern = "InOnly" | "InOut";

/** Why a route stopped without an exception; 0 while it runs. */
export const ending = {
  none: 0,
  /** `stop`: nothing after it runs, not even in calling routes. */
  stopped: 1,
  /** An error handler handled a failure: the whole exchange ends and the caller gets a normal reply. */
  handled: 2,
  /** Marked rollback-only without an exception. */
  rolledBack: 3,
  /** The deadline passed or the run was cancelled externally. */
  cancelled: 4,
} as const;
export type Ending = (typeof ending)[keyof typeof ending];

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.Exchange");

export class Exchange {
  readonly id: string;
  /** The run this exchange belongs to now; a `direct:` call creates a child run on the same exchange. */
  run: Run;
  pattern: Pattern;
  message: Message;
  /** May be shared with other exchanges: copied before it is changed. */
  properties: ReadonlyMap<string, unknown> | undefined = undefined;
  variables: Map<string, unknown> | undefined = undefined;
  /** The final failure once the route has completed; undefined while it runs or when it succeeded. */
  failure: FlowError | undefined = undefined;
  /** The failure that an error handler or doCatch is handling, or handled last. */
  caught: FlowError | undefined = undefined;
  ending: Ending = ending.none;
  /** The current step: the only bookkeeping per step, so that a failure can name its step. */
  at: StepNode | undefined = undefined;
  /** 1 for a step's first attempt, 2 for its first redelivery, … */
  attempt = 1;
  /** The exchange this one was copied from (split part, multicast branch, tap). */
  readonly parent: Exchange | undefined;
  /** The message as it entered; kept only when the route's error handling needs it. */
  original: Message | undefined = undefined;
  /** Callbacks for the end of the exchange, in the order they were registered. */
  completions: ((exchange: Exchange) => void | Promise<void>)[] | undefined = undefined;
  /** The transactions its sends join; copies do not share it unless a step passes it on. */
  unit: UnitOfWork | undefined = undefined;
  /** The properties if they are not shared. */
  private unshared: Map<string, unknown> | undefined = undefined;

  constructor(id: string, run: Run, pattern: Pattern, message: Message, parent?: Exchange) {
    this.id = id;
    this.run = run;
    this.pattern = pattern;
    this.message = message;
    this.parent = parent;
  }

  property(name: string): unknown {
    return this.properties?.get(name);
  }

  setProperty(name: string, value: unknown): void {
    this.ownProperties().set(name, value);
  }

  removeProperty(name: string): void {
    if (this.properties?.has(name) === true) this.ownProperties().delete(name);
  }

  /** Returns the current properties as an immutable snapshot. */
  shareProperties(): ReadonlyMap<string, unknown> | undefined {
    this.unshared = undefined;
    return this.properties;
  }

  /** Unshares the properties, for code that may change the map in place. */
  unshareProperties(): void {
    if (this.properties !== undefined) this.ownProperties();
  }

  private ownProperties(): Map<string, unknown> {
    const { properties } = this;
    if (this.unshared !== undefined && this.unshared === properties) return this.unshared;
    return (this.properties = this.unshared = properties === undefined ? new Map<string, unknown>() : copyEntries(properties));
  }

  /** Records that the current step discarded the message: filtered out, or a duplicate. */
  discard(): void {
    this.run.discardedBy = this.at;
  }

  /** True when the run ended with a discarded message: no step ran after the one that discarded it, and nothing was sent before. */
  get isDiscarded(): boolean {
    const { discardedBy } = this.run;
    return discardedBy !== undefined && discardedBy === this.at && this.property("CamelToEndpoint") === undefined;
  }

  variable(name: string): unknown {
    return this.variables?.get(name);
  }

  setVariable(name: string, value: unknown): void {
    (this.variables ??= new Map()).set(name, value);
  }

  get [brand](): true {
    return true;
  }
}

/** True for an Exchange of any copy of this package. */
export function isExchange(value: unknown): value is Exchange {
  return typeof value === "object" && value !== null && brand in value;
}
