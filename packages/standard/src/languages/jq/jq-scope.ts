import type { Filter } from "./jq-filter.ts";
import type { Ast } from "./jq-tree.ts";

export interface FunctionEntry {
  readonly kind: "function";
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Ast;
  /** The scope inside the definition. It includes the function itself, which may be recursive. */
  scope: Scope;
  level: number;
  compiled: Filter | undefined;
  /** True once compilation has started, so that a recursive call does not compile the function again. */
  started: boolean;
}

export type Entry = { readonly kind: "variable" | "closure" | "label"; readonly name: string; readonly level: number } | FunctionEntry;

/** The names that are visible at a position of the program. `level` is the number of values in the environment there. */
export class Scope {
  readonly level: number;
  readonly entry: Entry | undefined;
  readonly outer: Scope | undefined;

  constructor(level = 0, entry?: Entry, outer?: Scope) {
    this.level = level;
    this.entry = entry;
    this.outer = outer;
  }

  /** The scope inside a binding that adds one value to the environment. */
  with(kind: "variable" | "closure" | "label", name: string): Scope {
    return new Scope(this.level + 1, { kind, name, level: this.level + 1 }, this);
  }

  withFunction(name: string, parameters: readonly string[], body: Ast): Scope {
    const entry: FunctionEntry = { kind: "function", name, parameters, body, scope: this, level: this.level, compiled: undefined, started: false };
    const scope = new Scope(this.level, entry, this);
    entry.scope = scope;
    return scope;
  }

  find(accept: (entry: Entry) => boolean): Entry | undefined {
    if (this.entry !== undefined && accept(this.entry)) return this.entry;
    return this.outer?.find(accept);
  }
}
