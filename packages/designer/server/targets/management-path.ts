// The deploy token is sent only to paths under `/_api/`. A path that a URL parser, a proxy or the runtime could resolve to another one (`..`, encoded
// or not) is rejected instead of being normalized, so that all of them agree on the address.
import { HttpError } from "../http/http-error.ts";

const maxDecodings = 5;

/** Throws unless the path is a normalized path under `/_api/`. */
export function assertManagementPath(pathWithQuery: string): void {
  const path = pathWithQuery.split("?")[0] as string;
  const isSafe = path.startsWith("/_api/") && new URL(path, "http://runtime").pathname === path && !isAmbiguous(path);
  if (!isSafe) throw new HttpError(400, `'${path.slice(0, 200)}' is not a normalized path under /_api/`);
}

/** True for dot segments, empty segments and invalid encodings. Decodes repeatedly, because a proxy in between may decode the path once more. */
function isAmbiguous(path: string): boolean {
  let text = path;
  for (let count = 0; count < maxDecodings; count++) {
    if (text.split(/[/\\]/).some((segment, index) => segment === "." || segment === ".." || (segment === "" && index > 0))) return true;
    const decoded = decodedOf(text);
    if (decoded === undefined) return true;
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
