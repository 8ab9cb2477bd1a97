// Problems in a table or document, found before it is used: collected, not thrown one by one.
import { closest } from "@sluice/model";

export interface Problem {
  /** The position: a member of the table (`rows[2]`) or a target field of the document (`items[].uom`); empty for the entire table or document. */
  readonly path: string;
  readonly message: string;
  /** Set when installing a missing table or document would fix it. */
  readonly missing?: "table" | "document";
}

/** One sentence for the first problem, and the number of remaining problems. */
export function problemText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const text = first.path === "" ? first.message : `${first.path}: ${first.message}`;
  const others = problems.length - 1;
  return others === 0 ? text : `${text} (and ${others} more ${others === 1 ? "problem" : "problems"})`;
}

/** A value quoted for a message: short, on one line. */
export function formatValue(value: unknown, maxLength = 80): string {
  const text = value === undefined ? "no value" : typeof value === "bigint" ? String(value) : (JSON.stringify(value, digitsOfLong) ?? typeof value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const digitsOfLong = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** Maximum number of unknown properties reported by name: finding the closest known name for 100,000 properties takes seconds. */
export const maxReportedNames = 20;

/** One sentence per unknown property, and one for those beyond the first 20. */
export function unknownProperties(members: Readonly<Record<string, unknown>>, allowed: readonly string[]): readonly string[] {
  const unknown = Object.keys(members).filter((name) => !allowed.includes(name));
  const faults = unknown.slice(0, maxReportedNames).map((name) => {
    const suggestion = closest(name, allowed);
    return `unknown property '${name.slice(0, 60)}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`;
  });
  return unknown.length > maxReportedNames ? [...faults, `${unknown.length - maxReportedNames} more unknown properties`] : faults;
}
