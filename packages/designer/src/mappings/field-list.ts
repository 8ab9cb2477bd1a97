// The rules of a document as a table: target field, source, and value in the sample output.

export interface FieldRow {
  readonly target: string;
  readonly depth: number;
  readonly source: string;
  readonly result: string;
}

type Members = Readonly<Record<string, unknown>>;

const maxRows = 500;
const maxTextLength = 120;
const sources = ["from", "value", "expr", "lookup", "switch", "use", "forEach"] as const;

export function fieldList(document: Members, output: string | undefined): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  collect(document["map"], parsed(output), 0, rows);
  return rows;
}

function collect(rules: unknown, output: unknown, depth: number, rows: FieldRow[]): void {
  if (!Array.isArray(rules)) return;
  for (const rule of rules as readonly unknown[]) {
    if (rows.length >= maxRows || typeof rule !== "object" || rule === null) continue;
    const members = rule as Members;
    const target = String(members["to"] ?? "");
    const value = valueAt(output, target);
    rows.push({ target, depth, source: sourceText(members), result: value === undefined ? "" : Array.isArray(value) ? `${value.length} ×` : short(value) });
    collect(members["map"], Array.isArray(value) ? value[0] : value, depth + 1, rows);
  }
}

function sourceText(rule: Members): string {
  const name = sources.find((candidate) => rule[candidate] !== undefined);
  if (name === undefined) return "";
  const value = rule[name];
  if (name === "from") return String(value);
  if (name === "lookup") {
    const { table, key, from, to } = value as Members;
    return `lookup ${short(key)} in ${String(table)} (${String(from)} → ${String(to)})`;
  }
  if (name === "switch" && Array.isArray(value)) return `switch of ${value.length}`;
  return `${name} ${name === "value" ? JSON.stringify(value) : short(value)}`;
}

function valueAt(output: unknown, target: string): unknown {
  return target
    .replace(/\[\]$/, "")
    .split(".")
    .reduce<unknown>(
      (value, name) => (typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Members)[name] : undefined),
      output,
    );
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
