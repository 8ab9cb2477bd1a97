// Reads credentials from the raw headers of a request.
import type { AccessRequest } from "../http/access.ts";

/** A header by lower-case name; undefined when absent. Repeated values are joined with `separator`; without it the result is empty. */
export function headerOf({ rawHeaders }: AccessRequest, name: string, separator?: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    if (candidate.length !== name.length || !equalsIgnoringCase(candidate, name)) continue;
    const value = rawHeaders[index + 1] as string;
    // Reject repeated headers: a proxy could use the other value.
    found = found === undefined ? value : separator === undefined ? "" : found + separator + value;
  }
  return found;
}

/** Compares case-insensitively without allocating. Header names are ASCII. */
function equalsIgnoringCase(candidate: string, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const code = candidate.charCodeAt(index);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** The credentials of `Authorization: <scheme> …`; undefined for another scheme, empty for a repeated header. */
export function authorizationOf(request: AccessRequest, scheme: string): string | undefined {
  const header = headerOf(request, "authorization");
  if (header === undefined) return undefined;
  if (header === "") return "";
  const { length } = scheme;
  if (header.length <= length || header.charCodeAt(length) !== 32 || header.slice(0, length).toLowerCase() !== scheme) return undefined;
  return header.slice(length + 1).trim();
}
