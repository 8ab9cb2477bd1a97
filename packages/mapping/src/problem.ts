// Faults of a table or document found before it is used: collected, never thrown one by one.

export interface Problem {
  /** Where: a member of the table (`rows[2]`) or a target field of the document (`items[].uom`); empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** What may be put right later without a change here: a table or document that is not installed. */
  readonly missing?: "table" | "document";
}

/** One sentence for the first problem, with the number of the others. */
export function problemText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const text = first.path === "" ? first.message : `${first.path}: ${first.message}`;
  return problems.length === 1 ? text : `${text} (and ${problems.length - 1} more)`;
}

/** Text quoted for a message: short, on one line. */
export function shown(value: unknown, longest = 80): string {
  const text = typeof value === "string" ? JSON.stringify(value) : value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
