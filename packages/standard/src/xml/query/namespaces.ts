import { CompileError } from "@sluice/engine/spi";

/** Reads the namespace prefixes of an expression: a list of `{key, value}`, a map, the JSON of either, or `p=urn:x, q=urn:y`. */
export function readNamespaces(raw: unknown): Readonly<Record<string, string>> {
  if (raw === undefined || raw === null || raw === "") return {};
  if (typeof raw === "string") return readNamespaces(/^\s*[[{]/.test(raw) ? fromJson(raw) : fromPairs(raw));
  if (Array.isArray(raw)) return Object.assign({}, ...raw.map(fromItem)) as Readonly<Record<string, string>>;
  if (typeof raw === "object") return Object.fromEntries(Object.entries(raw).map(([prefix, uri]) => [prefix, String(uri)]));
  throw fault(String(raw));
}

function fromItem(item: unknown): Record<string, string> {
  if (typeof item === "object" && item !== null && "key" in item && "value" in item) return { [String(item.key)]: String(item.value) };
  if (typeof item === "object" && item !== null && !Array.isArray(item)) return readNamespaces(item);
  throw fault(String(item));
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw fault(text);
  }
}

function fromPairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(/[,;]/)) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw fault(text);
    pairs[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim();
  }
  return pairs;
}

function fault(text: string): CompileError {
  return new CompileError("xpath-namespace", `'${text}' is not a list of namespaces`, { hint: "write a list of {key: prefix, value: uri}" });
}
