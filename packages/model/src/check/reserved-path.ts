// Checks whether an HTTP path, or a path pattern, overlaps `/_api`, which belongs to the management API.
const reserved = "_api";
const maxRounds = 8;

/**
 * True when a route on `path` could match a request under `/_api`: after decoding (also repeated encoding), removing `//`, `.` and `..`,
 * ignoring case, and expanding `*` and `{…}`.
 */
export function claimsReservedPath(path: string, options: { readonly prefix?: boolean } = {}): boolean {
  const decoded = decodeFully(path);
  if (decoded === undefined) return true;
  const [first] = segments(decoded);
  if (first === undefined) return options.prefix === true || /\*/.test(decoded);
  return matchesReserved(first);
}

/** Decodes until nothing changes; undefined, which callers treat as reserved, after too many rounds. */
function decodeFully(path: string): string | undefined {
  let text = path.split(/[?#]/, 1)[0] as string;
  for (let round = 0; round < maxRounds; round++) {
    const next = decodeOnce(text);
    if (next === text) return text;
    text = next;
  }
  return undefined;
}

function decodeOnce(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}

function segments(path: string): string[] {
  const resolved: string[] = [];
  for (const segment of path.replaceAll("\\", "/").split("/")) {
    const plain = segment.split(";", 1)[0]?.trim() as string;
    if (plain === "..") resolved.pop();
    else if (plain !== "" && plain !== ".") resolved.push(plain);
  }
  return resolved;
}

/** One segment as a pattern: `*` and `{…}` match any text; unbalanced braces might match anything. */
function matchesReserved(segment: string): boolean {
  const pieces = segment
    .normalize("NFKC")
    .toLowerCase()
    .split(/\*+|\{[^{}]*\}/);
  if (pieces.some((piece) => /[{}]/.test(piece))) return true;
  if (pieces.length === 1) return pieces[0] === reserved;
  const first = pieces[0] as string;
  const last = pieces.at(-1) as string;
  if (first.length + last.length > reserved.length || !reserved.startsWith(first) || !reserved.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = reserved.indexOf(piece, at);
    if (found === -1 || found + piece.length > reserved.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
