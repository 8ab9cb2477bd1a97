// One message on its way through routes. The shape is fixed: every field is assigned in the constructor, in this order,
// and none is added or deleted later, because every step of every run touches it. Its methods are private by type only: a `#method`
// would put a mark of its own on every exchange.
import type { StepNode } from "@sluice/model";
import type { FlowError } from "../errors/flow-error.ts";
import { copyEntries } from "./copy-entries.ts";
import type { Message } from "./message.ts";
import type { Run } from "./run.ts";

export type Pattern = "InOnly" | "InOut";

/** Why a route goes no further although nothing was thrown; 0 while it does. */
export const ending = {
  none: 0,
  /** `stop`: nothing after it runs, in calling routes neither. */
  stopped: 1,
  /** An error handler dealt with a failure: the whole exchange ends and the caller gets a normal reply. */
  handled: 2,
  /** Marked rollback-only without an exception. */
  rolledBack: 3,
  /** The deadline passed or the run was cancelled from outside. */
  cancelled: 4,
} as const;
export type Ending = (typeof ending)[keyof typeof ending];

export class Exchange {
  readonly id: string;
  /** The run this exchange belongs to now; a `direct:` call makes a child run on the same exchange. */
  run: Run;
  pattern: Pattern;
  message: Message;
  /** Whatever is put here may be somebody else's too: it is copied before anything is set or taken away. */
  properties: ReadonlyMap<string, unknown> | undefined = undefined;
  variables: Map<string, unknown> | undefined = undefined;
  /** What the exchange failed with, once its route is over; undefined while it runs or when it ended well. */
  failure: FlowError | undefined = undefined;
  /** The failure an error handler or doCatch is dealing with, or dealt with last. */
  caught: FlowError | undefined = undefined;
  ending: Ending = ending.none;
  /** The step at work: the only bookkeeping per step, so that a failure can name its place. */
  at: StepNode | undefined = undefined;
  /** 1 for a step's first try, 2 for its first redelivery, … */
  attempt = 1;
  /** The exchange this one was copied from (split part, multicast branch, tap). */
  readonly parent: Exchange | undefined;
  /** The message as it entered; kept only when the route's error handling asks for it. */
  original: Message | undefined = undefined;
  /** What the routes it passed want done when it is over, in order of entry. */
  completions: ((exchange: Exchange) => void | Promise<void>)[] | undefined = undefined;
  /** The properties, if they are nobody else's. */
  private own: Map<string, unknown> | undefined = undefined;

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

  /** The properties as they are now; they stay so, whatever is set later. */
  shareProperties(): ReadonlyMap<string, unknown> | undefined {
    this.own = undefined;
    return this.properties;
  }

  /** Makes the properties its own, for code that may change the map in place. */
  unshareProperties(): void {
    if (this.properties !== undefined) this.ownProperties();
  }

  private ownProperties(): Map<string, unknown> {
    const { properties } = this;
    if (this.own !== undefined && this.own === properties) return this.own;
    return (this.properties = this.own = properties === undefined ? new Map<string, unknown>() : copyEntries(properties));
  }

  /** Notes that the step at work let the message go no further: it was filtered out, or is a duplicate. */
  passOver(): void {
    this.run.passedOver = this.at;
  }

  /** True when that is how the run ended: no step came after, and nothing was sent on before. */
  get isPassedOver(): boolean {
    const { passedOver } = this.run;
    return passedOver !== undefined && passedOver === this.at && this.property("CamelToEndpoint") === undefined;
  }

  variable(name: string): unknown {
    return this.variables?.get(name);
  }

  setVariable(name: string, value: unknown): void {
    (this.variables ??= new Map()).set(name, value);
  }
}
