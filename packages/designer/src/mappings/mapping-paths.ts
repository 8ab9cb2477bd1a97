// Paths of source fields: absolute in the tree (`lines[*].sku`), relative in rules inside a loop (`sku`).

/** True for a target field that contains a list. */
export const isList = (name: string): boolean => name.endsWith("[]");

/** The absolute path of a loop, without its filter; `written` is relative to the enclosing loops. */
export function loopPath(written: string, loops: readonly string[]): string {
  const path = written.replace(/\[\?.*\]$/s, "").replace(/\[\*\]$/, "");
  return absolutePath(path, loops);
}

/** Resolves a path used in a rule inside these loops to an absolute path. */
function absolutePath(path: string, loops: readonly string[]): string {
  if (path === "$") return "";
  if (path.startsWith("$.")) return path.slice(2);
  if (path.startsWith("$['")) return path.slice(1);
  const enclosing = loops.at(-1);
  if (enclosing === undefined) return path;
  const inner = path.replace(/^\$item\.?/, "");
  return inner === "" ? `${enclosing}[*]` : `${enclosing}[*]${inner.startsWith("[") ? "" : "."}${inner}`;
}

/** The form of a message path in a rule inside these loops: relative to the item, or absolute with `$`. */
export function relativePath(path: string, loops: readonly string[]): string {
  const enclosing = loops.at(-1);
  if (enclosing === undefined) return path;
  const start = `${enclosing}[*]`;
  if (path === start) return "$item";
  if (path.startsWith(`${start}.`)) return path.slice(start.length + 1);
  if (path.startsWith(`${start}[`)) return path.slice(start.length);
  return path.startsWith("[") ? `$${path}` : `$.${path}`;
}

const quotedText = /'(?:[^'\\]|\\.)*'/g;
const pathIn = /(?:\$(?:item)?(?=[.[])|\$item\b|(?<![\w$.)\]'@])(?:[A-Za-z_@][\w$]*))(?:\.[@#]?[A-Za-z_][\w$]*|\[\*\]|\[\d+\]|\['[^']*'\])*(?![\w$]|\s*\()/g;

/** The message paths that a formula reads. Quoted text and function names are excluded. */
export function pathsIn(formula: string, loops: readonly string[]): readonly string[] {
  // Quotes of a bracketed name are part of the path.
  const text = formula.replaceAll(quotedText, (found, offset: number) => (formula[offset - 1] === "[" ? found : "''"));
  return [...new Set([...text.matchAll(pathIn)].map(([path]) => absolutePath(path, loops).replaceAll(/\[\d+\]/g, "[*]")))];
}

const operators: readonly (readonly [RegExp, string])[] = [
  [/\*/, "×"],
  [/\+\s*'|'\s*\+/, "join"],
  [/\+/, "+"],
  [/\?/, "if"],
];

/** The functions between source and target, for the chip on the line; empty for a plain path. */
export function functionsIn(formula: string): readonly string[] {
  const text = formula.replaceAll(quotedText, "''").replaceAll(/\[[*?][^\]]*\]/g, "");
  const calls = [...text.matchAll(/([A-Za-z]+)\s*\(/g)].map(([, name = ""]) => name);
  const operator = operators.find(([pattern]) => pattern.test(text));
  return [...new Set([...calls, ...(operator === undefined ? [] : [operator[1]])])];
}
