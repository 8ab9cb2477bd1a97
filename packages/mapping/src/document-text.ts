// Documents as people read and compare them: indented, a list of plain values on one line.
import { asJson } from "@sluice/engine/spi";

/** Undefined members are left out, as JSON does. The value must not be nested too deeply: see {@link isDeeperThan}. */
export function documentText(value: unknown): string {
  return `${written(value, "")}\n`;
}

function written(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return asJson(value) || "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null)) return asJson(value);
    return `[\n${value.map((item) => inner + written(item, inner)).join(",\n")}\n${indent}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{\n${members.map(([name, member]) => `${inner}${JSON.stringify(name)}: ${written(member, inner)}`).join(",\n")}\n${indent}}`;
}

/** True when lists and objects are nested deeper than that; looks without recursion, so that no input can exhaust the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item)) if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    level = next;
  }
  return false;
}
