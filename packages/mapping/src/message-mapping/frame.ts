// The data that expressions read while one message is mapped. A frame belongs to one level of the document: the message itself, one item of a
// forEach, a part, a function or one element of a filter; a level reuses its frame for all its items.
import { MappingFault, type FieldError } from "./mapping-fault.ts";

export interface HeaderSource {
  get(name: string): unknown;
  toObject(): Readonly<Record<string, unknown>>;
}

export const runLimits = {
  /** Items, elements and calls processed for one message: limits its time. */
  work: 5_000_000,
  /** Nested parts and functions. */
  depth: 100,
  /** Fields and items written for one message, including those inside copied values. */
  outputs: 2_000_000,
  /** Characters of text written for one message. */
  characters: 67_108_864,
  /** Depth of a copied value. */
  valueDepth: 200,
  /** Maximum number of failing fields listed. */
  errors: 100,
} as const;

/** A call to a part or function counts as this many steps, because it costs about as much as reading this many items. */
const callCost = 10;

/** The mapping of one message. */
export class MappingRun {
  readonly root: unknown;
  readonly headers: HeaderSource;
  readonly params: Readonly<Record<string, unknown>>;
  readonly now: number;
  readonly vars: unknown[] = [];
  /** The failing fields, when all of them are requested; otherwise the first one ends the run. */
  readonly errors: FieldError[] | undefined;
  #work = 0;
  #depth = 0;
  #outputs = 0;
  #characters = 0;

  constructor(
    root: unknown,
    headers: HeaderSource,
    params: Readonly<Record<string, unknown>>,
    more: { readonly now: number; readonly collectsErrors: boolean },
  ) {
    this.root = root;
    this.headers = headers;
    this.params = params;
    this.now = more.now;
    this.errors = more.collectsErrors ? [] : undefined;
  }

  /** Work steps used so far. */
  get work(): number {
    return this.#work;
  }

  spend(amount = 1): void {
    this.#work += amount;
    if (this.#work > runLimits.work) throw new MappingFault("limit", `the mapping takes more than ${runLimits.work} steps for one message`);
  }

  write(value: unknown): void {
    if (++this.#outputs > runLimits.outputs) throw new MappingFault("limit", `the mapping writes more than ${runLimits.outputs} values for one message`);
    if (typeof value === "string" && (this.#characters += value.length) > runLimits.characters)
      throw new MappingFault("limit", `the mapping writes more than ${runLimits.characters} characters for one message`);
  }

  enter(): void {
    this.spend(callCost);
    if (this.#depth >= runLimits.depth) throw new MappingFault("limit", `parts and functions call each other more than ${runLimits.depth} levels deep`);
    this.#depth++;
  }

  leave(): void {
    this.#depth--;
  }
}

/** The part of the target path that a level adds to that of its outer level. */
export interface TargetSegment {
  /** Target path from the outer level, without positions: `items` or `shipTo`. */
  readonly path: string;
  readonly isList: boolean;
}

export class Frame {
  readonly run: MappingRun;
  readonly up: Frame | undefined;
  readonly targetSegment: TargetSegment | undefined;
  item: unknown;
  index = 0;
  /** Position among the items before filtering and sorting. */
  sourceIndex = 0;
  key: unknown = undefined;
  group: readonly unknown[] | undefined = undefined;
  args: readonly unknown[] | undefined = undefined;
  /** Position in the target list. */
  targetIndex = 0;
  /** The source of the items, for error messages: set by levels that iterate. */
  origin: string | undefined = undefined;

  constructor(run: MappingRun, up: Frame | undefined, item: unknown, targetSegment?: TargetSegment) {
    this.run = run;
    this.up = up;
    this.item = item;
    this.targetSegment = targetSegment;
  }
}

export type Evaluate = (frame: Frame) => unknown;

/** The target path of a level, with current positions, and a trailing dot. */
export function targetPath(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  const outer = targetPath(frame.up);
  if (frame.targetSegment === undefined) return outer;
  return `${outer}${frame.targetSegment.path}${frame.targetSegment.isList ? `[${frame.targetIndex}]` : ""}.`;
}
