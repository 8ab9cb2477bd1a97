// Reads values from a raw query by name. Names are decoded, so that every spelling matches.

/** The decoded value; undefined when absent, empty when repeated or not decodable. */
export function queryValueOf(query: string, name: string): string | undefined {
  if (query === "") return undefined;
  let value: string | undefined;
  for (const pair of query.split("&")) {
    if (nameOf(pair) !== name) continue;
    const equals = pair.indexOf("=");
    value = value === undefined ? (decode(equals < 0 ? "" : pair.slice(equals + 1)) ?? "") : "";
  }
  return value;
}

/** The query without the parameters that have these names. */
export function withoutQueryValues(query: string, names: readonly string[]): string {
  return query
    .split("&")
    .filter((pair) => !names.includes(nameOf(pair)))
    .join("&");
}

function nameOf(pair: string): string {
  const equals = pair.indexOf("=");
  const name = equals < 0 ? pair : pair.slice(0, equals);
  return decode(name) ?? name;
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
