// The path of an endpoint URI, between scheme and '?', split and joined by a connector's `syntax`.
interface PathPattern {
  readonly names: readonly string[];
  /** The text between two names; one fewer than names. */
  readonly separators: readonly string[];
  /** `://` for schemes such as `http`, otherwise `:`. */
  readonly opening: string;
}

/** Bounded: syntaxes come only from declarations. */
const patterns = new Map<string, PathPattern>();

export function readSyntax(syntax: string): PathPattern {
  const cached = patterns.get(syntax);
  if (cached !== undefined) return cached;
  const pattern = parseSyntax(syntax);
  patterns.set(syntax, pattern);
  return pattern;
}

function parseSyntax(syntax: string): PathPattern {
  const [, opening = ":", rest = ""] = /^[A-Za-z][\w+.-]*(:(?:\/\/)?)?(.*)$/s.exec(syntax) ?? [];
  const pieces = rest.split(/([A-Za-z_]\w*)/);
  const names = pieces.filter((_, index) => index % 2 === 1);
  return { names, separators: pieces.filter((_, index) => index % 2 === 0).slice(1, names.length), opening };
}

/** The path's parts by name. A part whose separator is missing, such as a port, is omitted. */
export function splitPath(path: string, { names, separators }: PathPattern): Record<string, string> {
  const parts = Object.create(null) as Record<string, string>;
  let rest = path;
  for (let index = 0; index < names.length;) {
    const from = index === 0 ? afterAddressPrefix(rest) : 0;
    let next: { at: number; index: number } | undefined;
    for (let later = index; later < separators.length; later++) {
      const at = rest.indexOf(separators[later] as string, from);
      if (at !== -1 && (next === undefined || at < next.at)) next = { at, index: later };
    }
    const text = next === undefined ? rest : rest.slice(0, next.at);
    if (text !== "") parts[names[index] as string] = text;
    if (next === undefined) break;
    rest = rest.slice(next.at + (separators[next.index] as string).length);
    index = next.index + 1;
  }
  return parts;
}

export function joinPath(parts: Readonly<Record<string, string>>, { names, separators }: PathPattern): string {
  let path = "";
  names.forEach((name, index) => {
    const text = parts[name];
    if (text === undefined) return;
    path += (index > 0 && path !== "" ? (separators[index - 1] as string) : "") + text;
  });
  return path;
}

/** Colons in `user:password@` and in a bracketed IPv6 address are not separators. */
function afterAddressPrefix(text: string): number {
  const slash = text.indexOf("/");
  const authority = slash === -1 ? text : text.slice(0, slash);
  const user = authority.lastIndexOf("@") + 1;
  const bracket = authority.indexOf("]", user);
  return authority[user] === "[" && bracket !== -1 ? bracket : user;
}
