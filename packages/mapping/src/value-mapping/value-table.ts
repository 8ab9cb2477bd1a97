// A checked table. Each direction is compiled to a hash map on first use, so that unused directions of a wide table cost nothing.
import { FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { buildDirection, type Direction } from "./direction.ts";

export const matchModes = ["exact", "ignoreCase", "wildcard", "regex"] as const;
export type MatchMode = (typeof matchModes)[number];

export const missingRules = ["error", "key", "null", "default"] as const;
/** The result of a lookup when the table has no entry. */
export type OnMissing = (typeof missingRules)[number];

/** Null: this row has no value in that column. */
export type Cell = string | number | boolean | null;

export interface TableColumn {
  readonly id: string;
  readonly agency: string | undefined;
  readonly identifier: string | undefined;
  readonly default: Cell | undefined;
  readonly match: MatchMode;
}

export interface TableContent {
  readonly name: string | undefined;
  readonly onMissing: OnMissing;
  readonly match: MatchMode;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Finds the value of one key, or of the keys of several columns in order; undefined when there is none. */
export type Find = (key: unknown) => unknown;

export class ValueTable {
  readonly id: string;
  readonly content: TableContent;
  readonly #columns = new Map<string, number>();
  readonly #directions = new Map<string, Direction>();

  constructor(id: string, content: TableContent) {
    this.id = id;
    this.content = content;
    for (const [index, { agency, identifier }] of content.columns.entries()) {
      if (agency !== undefined && identifier !== undefined) this.#columns.set(`${agency}|${identifier}`, index);
    }
    for (const [index, { id: name }] of content.columns.entries()) this.#columns.set(name, index);
  }

  /** True for a column's id and for its `AGENCY|identifier`. */
  hasColumn(name: string): boolean {
    return this.#columns.has(name);
  }

  get columnIds(): readonly string[] {
    return this.content.columns.map((column) => column.id);
  }

  /** The compiled direction from one or several columns to another; throws a FlowError for an unknown column. */
  direction(from: readonly string[], to: string): Direction {
    const name = from.length === 1 ? `${from[0]}\n${to}` : `${from.join("\n")}\n\n${to}`;
    const cached = this.#directions.get(name);
    if (cached !== undefined) return cached;
    const direction = buildDirection(
      this.content,
      from.map((column) => this.#column(column)),
      this.#column(to),
    );
    this.#directions.set(name, direction);
    return direction;
  }

  /** The value of `key` in another column. `onMissing` overrides the table's rule. */
  find(from: string, to: string, key: unknown, onMissing?: OnMissing): unknown {
    const found = this.direction([from], to).find(key);
    return found === undefined ? this.resolveMissing([from], to, [key], onMissing) : found;
  }

  /** The result of a lookup without an entry; throws when the rule is `error`. */
  resolveMissing(from: readonly string[], to: string, keys: readonly unknown[], onMissing: OnMissing = this.content.onMissing): unknown {
    if (onMissing === "null") return null;
    if (onMissing === "key") return keys.length === 1 ? keys[0] : keys;
    const fallback = onMissing === "default" ? this.content.columns[this.#column(to)]?.default : undefined;
    if (fallback !== undefined) return fallback;
    const keyText = keys.map((key) => (key === null || key === undefined ? "null" : JSON.stringify(shorten(asText(key))))).join(", ");
    const why = onMissing === "default" ? `, and column '${to}' has no default` : "";
    throw new FlowError("java.util.NoSuchElementException", `no entry for ${keyText} in value-mapping table '${this.id}' (${from.join(", ")} -> ${to})${why}`, {
      code: "lookup-missing",
      details: { value: keys.length === 1 ? keys[0] : keys },
    });
  }

  #column(name: string): number {
    const index = this.#columns.get(name);
    if (index === undefined)
      throw new FlowError(
        "java.lang.IllegalArgumentException",
        `value-mapping table '${this.id}' has no column '${name}': it has ${this.columnIds.slice(0, 10).join(", ")}`,
        { code: "column-unknown" },
      );
    return index;
  }
}

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** The error of a lookup in a table that is not installed. */
export function unknownTable(id: string): FlowError {
  return new FlowError("java.lang.IllegalArgumentException", `unknown value-mapping table '${shorten(id)}'`, { code: "table-unknown" });
}
