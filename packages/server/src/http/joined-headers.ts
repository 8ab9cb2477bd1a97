// Builds the header fields by lower-case name from the raw list. A call can then release node's request object, which would otherwise
// stay in memory as long as its run.

/** Headers that must not be repeated: the first value is used. */
const singleValueHeaders = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

/** Joins repeated fields with a comma, cookies with a semicolon; `Set-Cookie` becomes a list. Skips the names in `without`. */
export function joinedHeaders(rawHeaders: readonly string[], without: readonly string[] | undefined): Record<string, string | string[] | undefined> {
  const headers: Record<string, string | string[] | undefined> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    // Node drops this name too: it would change the prototype of a plain object.
    if (name === "__proto__" || without?.includes(name) === true) continue;
    const existing = headers[name];
    if (name === "set-cookie") headers[name] = existing === undefined ? [value] : [...(existing as string[]), value];
    else if (existing === undefined) headers[name] = value;
    else if (!singleValueHeaders.has(name)) headers[name] = `${existing as string}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return headers;
}
