// Problems of a table or document found before it is used: collected, not thrown one by one.
import { closest } from "@sluice/model";

export interface Problem {
  /** The position: a member of the table (`rows[2]`) or a target field of the document (`items[].uom`); empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Set when installing a missing table or document would fix it. */
  readonly missing?: "table" | "document";
}

/** One sentence for the first problem, with the number of further ones. */
export function problemText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const text = first.path === "" ? first.message : `${first.path}: ${first.message}`;
  return problems.length === 1 ? text : `${text} (and ${problems.length - 1} more)`;
}

/** A value quoted for a message: short, on one line. */
export function shown(value: unknown, maxLength = 80): string {
  const text = value === undefined ? "nothing" : typeof value === "bigint" ? String(value) : (JSON.stringify(value, digitsOfLong) ?? typeof value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const digitsOfLong = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** Maximum number of unknown members reported by name: finding the closest known name for 100,000 members takes seconds. */
export const maxNamed = 20;

/** One sentence per unknown member, and one for those beyond the first 20. */
export function unknownMembers(given: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const faults = unknown.slice(0, maxNamed).map((name) => {
    const meant = closest(name, known);
    return `unknown member '${name.slice(0, 60)}'${meant === undefined ? "" : ` (did you mean '${meant}'?)`}`;
  });
  return unknown.length > maxNamed ? [...faults, `${unknown.length - maxNamed} more unknown members`] : faults;
}
