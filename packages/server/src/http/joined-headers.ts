// Header fields by lower-case name, made from the list as it came: a call can then let go of node's request, which would
// otherwise live as long as the run it began is remembered.

/** Of these a second one is a mistake, and the first counts. */
const single = new Set([
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

/** Repeated fields joined with a comma, cookies with a semicolon, `Set-Cookie` as a list; `without` are left out. */
export function joinedHeaders(rawHeaders: readonly string[], without: readonly string[] | undefined): Record<string, string | string[] | undefined> {
  const headers: Record<string, string | string[] | undefined> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    // Node drops this name too: in a plain object further on it would be no data.
    if (name === "__proto__" || without?.includes(name) === true) continue;
    const before = headers[name];
    if (name === "set-cookie") headers[name] = before === undefined ? [value] : [...(before as string[]), value];
    else if (before === undefined) headers[name] = value;
    else if (!single.has(name)) headers[name] = `${before as string}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return headers;
}
