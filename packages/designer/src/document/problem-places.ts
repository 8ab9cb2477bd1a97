import { offsetOfLine } from "./line-offset.ts";
import { placeAt, type OpenFlow } from "./open-flow.ts";
import { pathKey } from "@sluice/model";
import type { Problem } from "./problem.ts";

/** Problems by step, assigned by position, because the runtime names a step only when its kind is known. Keys are path keys. */
export function problemsByStep(flow: Pick<OpenFlow, "good" | "text">, problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const places = new Map<string, Problem[]>();
  if (flow.good?.text !== flow.text) return places;
  for (const problem of problems) {
    const path = placeAt(flow.good.outline, offsetOfLine(flow.text, problem.line, problem.column));
    if (path === undefined) continue;
    const key = pathKey(path);
    places.set(key, [...(places.get(key) ?? []), problem]);
  }
  return places;
}
