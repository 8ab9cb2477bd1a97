import type { Endpoint } from "./endpoint.ts";

export interface Match {
  readonly endpoint: Endpoint | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The methods of this path, for `Allow`. */
  readonly methods: readonly string[];
}

interface Pattern {
  readonly segments: readonly string[];
  readonly endpoint: Endpoint;
}

/** Finds the endpoint of a method and path; undefined when the path is unknown. Fixed segments take precedence over `:name`. */
export function createRouter(endpoints: readonly Endpoint[]): (method: string, segments: readonly string[]) => Match | undefined {
  const byLength = new Map<number, Pattern[]>();
  for (const endpoint of endpoints) {
    const segments = endpoint.path.slice(1).split("/");
    byLength.set(segments.length, [...(byLength.get(segments.length) ?? []), { segments, endpoint }]);
  }
  for (const patterns of byLength.values()) patterns.sort((a, b) => parameterCount(a) - parameterCount(b));

  return (method, segments) => {
    const matches = (byLength.get(segments.length) ?? []).filter((pattern) =>
      pattern.segments.every((part, index) => (part.startsWith(":") ? segments[index] !== "" : part === segments[index])),
    );
    if (matches.length === 0) return undefined;
    const endpointMethod = method === "HEAD" ? "GET" : method;
    const match = matches.find(({ endpoint }) => endpoint.method === endpointMethod);
    const methods = [...new Set(matches.flatMap(({ endpoint }) => (endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method])))].sort();
    return { endpoint: match?.endpoint, params: match === undefined ? {} : paramsOf(match, segments), methods };
  };
}

const parameterCount = ({ segments }: Pattern): number => segments.filter((part) => part.startsWith(":")).length;

function paramsOf({ segments: parts }: Pattern, segments: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parts.flatMap((part, index) => (part.startsWith(":") ? [[part.slice(1), segments[index] as string]] : [])));
}
