import { unknownTable, type OnMissing, type ValueTable } from "../../value-mapping/value-table.ts";
import type { Direction } from "../../value-mapping/direction.ts";
import type { Evaluate } from "../frame.ts";
import { isNothing, scalarOf } from "../values.ts";
import type { DocumentContext } from "./document-context.ts";
import type { Compiled } from "./compiled.ts";

/** Pattern rows tested per counted work step. */
const patternsPerStep = 4;

export interface LookupPlan {
  readonly table: string;
  readonly keys: readonly { readonly column: string; readonly value: Compiled }[];
  readonly to: string;
  readonly onMissing: OnMissing | undefined;
}

/** A lookup that reads the current table: a replaced table takes effect with the next message. */
export function compileLookup({ table: id, keys, to, onMissing }: LookupPlan, context: DocumentContext): Evaluate {
  context.uses(id);
  const from = keys.map((key) => key.column);
  checkTable(id, [...from, to], context);
  const { tables } = context.environment;
  const values = keys.map((key) => key.value);
  const single = values.length === 1 ? (values[0] as Compiled).evaluate : undefined;
  let table: ValueTable | undefined;
  let direction: Direction | undefined;
  return (frame) => {
    const current = tables.get(id);
    if (current === undefined) throw unknownTable(id);
    if (current !== table || direction === undefined) {
      direction = current.direction(from, to);
      table = current;
    }
    const key = single === undefined ? values.map((value) => scalarOf(value.evaluate(frame))) : scalarOf(single(frame));
    if (direction.patternRows > 0) frame.run.spend(Math.ceil(direction.patternRows / patternsPerStep));
    const found = direction.find(key);
    if (found !== undefined) return found;
    const parts = single === undefined ? (key as readonly unknown[]) : [key];
    const rule = onMissing ?? current.content.onMissing;
    // A missing source field is not a missing entry: the rule's own default and required apply.
    if (parts.every(isNothing) && rule === "error") return undefined;
    return current.resolveMissing(from, to, parts, rule);
  };
}

function checkTable(id: string, columns: readonly string[], context: DocumentContext): void {
  const table = context.environment.tables.get(id);
  if (table === undefined) context.report(`unknown value-mapping table '${id}'`, "table");
  else
    for (const column of columns)
      if (!table.hasColumn(column))
        context.report(`value-mapping table '${id}' has no column '${column}': it has ${table.columnIds.slice(0, 10).join(", ")}`, "table");
}
