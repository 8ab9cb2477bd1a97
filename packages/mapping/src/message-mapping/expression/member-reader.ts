/**
 * Reads a member of a value by name; undefined when there is none. Only data is reachable, not prototypes. In sources that do not distinguish one from
 * many (XML, EDI, records), a name applied to a list means its first element, and the `#text` and `c1` of text are the text itself.
 */
export function memberReader(name: string, oneOrMany: boolean): (value: unknown) => unknown {
  const inherited = name in Object.prototype;
  const ofText = name === "#text" || name === "c1";
  const read = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return oneOrMany && ofText && typeof value === "string" ? value : undefined;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null)
      return inherited && !Object.hasOwn(value, name) ? undefined : (value as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(value)) return oneOrMany && value.length > 0 ? read(value[0]) : undefined;
    return value instanceof Map ? (value.get(name) as unknown) : undefined;
  };
  return read;
}
