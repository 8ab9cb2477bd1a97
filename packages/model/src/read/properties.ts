/**
 * Parses Java's properties format: `name=value`, `name: value` or `name value`, comments that start with `#` or `!`,
 * lines joined by a trailing backslash, `\uXXXX` and the usual escapes. The last entry of a name wins.
 */
export function parseProperties(text: string): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const end = nameEnd(line);
    const value = line.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, "");
    properties.set(unescape(line.slice(0, end)), unescape(trimEnd(value)));
  }
  return properties;
}

/** Lines with their continuations joined, without comments and blank lines. A comment cannot be continued. */
function* logicalLines(text: string): Generator<string> {
  let pending: string | undefined;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.replace(/^[ \t\f]+/, "");
    if (pending === undefined && (line === "" || line.startsWith("#") || line.startsWith("!"))) continue;
    const joined: string = (pending ?? "") + line;
    const isContinued = /(?:^|[^\\])(?:\\\\)*\\$/.test(joined);
    pending = isContinued ? joined.slice(0, -1) : undefined;
    if (!isContinued) yield joined;
  }
  if (pending !== undefined && pending !== "") yield pending;
}

/** Where the name ends: at the first unescaped `=`, `:` or whitespace. */
function nameEnd(line: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (/[=: \t\f]/.test(line[at] as string)) return at;
  }
  return line.length;
}

/** Unlike Java, removes trailing whitespace that is not escaped: it is rarely intended, and invisible in a URL or password. */
const trimEnd = (value: string): string => value.replace(/(?<!(?<!\\)(?:\\\\)*\\)[ \t\f]+$/, "");

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" };

function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (escapes[letter as string] ?? (letter as string)) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * The properties that apply with a profile: entries of the profile's own file override the plain ones, and so do entries named
 * `%profile.name`, the form Quarkus projects use in one file.
 */
export function withProfile(
  plain: ReadonlyMap<string, string>,
  profileFile: ReadonlyMap<string, string>,
  profile: string | undefined,
): ReadonlyMap<string, string> {
  const merged = new Map([...plain].filter(([name]) => !name.startsWith("%")));
  if (profile === undefined) return merged;
  const prefix = `%${profile}.`;
  for (const [name, value] of plain) if (name.startsWith(prefix)) merged.set(name.slice(prefix.length), value);
  for (const [name, value] of profileFile) merged.set(name, value);
  return merged;
}

/** The names of the placeholders in a string, including nested ones. For a function such as `{{env:HOME}}`, the name of the function. */
export function placeholderNames(text: string): readonly string[] {
  return [...text.matchAll(/\{\{[?!]?\s*([^{}:]+?)\s*(?=[{}:])/g)].map((match) => match[1] as string);
}

/** The values of all names that start with `prefix`, by name without the prefix. */
export function valuesUnder(prefix: string, names: Iterable<string>, value: (name: string) => string | undefined): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const property = name.startsWith(prefix) ? value(name) : undefined;
    if (property !== undefined) values[name.slice(prefix.length)] = property;
  }
  return values;
}
