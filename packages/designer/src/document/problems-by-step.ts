import { offsetOfLine } from "./line-offset.ts";
import { pathAtOffset, type OpenFlow } from "./open-flow.ts";
import { pathKey } from "@sluice/model";
import type { Problem } from "./problem.ts";

/** Problems by step, assigned by position, because the runtime names a step only when its kind is known. Keys are path keys. */
export function problemsByStep(flow: Pick<OpenFlow, "lastValid" | "text">, problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const found = new Map<string, Problem[]>();
  if (flow.lastValid?.text !== flow.text) return found;
  for (const problem of problems) {
    const path = pathAtOffset(flow.lastValid.outline, offsetOfLine(flow.text, problem.line, problem.column));
    if (path === undefined) continue;
    const key = pathKey(path);
    found.set(key, [...(found.get(key) ?? []), problem]);
  }
  return found;
}
