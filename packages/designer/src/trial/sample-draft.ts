// The sample message as it is typed, and what it means.
import type { RouteOutline } from "../document/outline.ts";
import type { Sample } from "../simulation/simulate.ts";

export interface SampleDraft {
  /** Undefined takes the first route. */
  readonly routeId: string | undefined;
  readonly method: string;
  /** One per line, `Name: value`. */
  readonly headers: string;
  readonly body: string;
  /** Whether a body that is JSON enters as data; a webhook always gets its bytes. */
  readonly bodyKind: "text" | "json";
  /** A file that is no text; goes before `body`. */
  readonly bytes: Uint8Array | undefined;
  /** Where it came from, in words; empty for what was typed. */
  readonly origin: string;
}

export const emptySample: SampleDraft = {
  routeId: undefined,
  method: "POST",
  headers: "Content-Type: application/json",
  body: '{"hello": "world"}',
  bodyKind: "text",
  bytes: undefined,
  origin: "",
};

export const isServed = (uri: string): boolean => /^(webhook|platform-http)(:|\?|$)/.test(uri);

/** The route a sample enters: the chosen one, or the first that is there. */
export function routeOf(routes: readonly RouteOutline[], { routeId }: SampleDraft): RouteOutline | undefined {
  return routes.find(({ id }) => id === routeId) ?? routes[0];
}

export function headersOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const colon = line.indexOf(":");
      return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    }),
  );
}

export const headerText = (headers: Readonly<Record<string, unknown>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");

/** The message of a draft, or why it is none. */
export function sampleOf(draft: SampleDraft, route: RouteOutline): Sample {
  const common = { routeId: route.id, headers: headersOf(draft.headers), method: draft.method };
  const path = ownPath(route.from.uri);
  const address = path === undefined ? {} : { path };
  return { ...common, ...address, body: draft.bytes ?? bodyOf(draft, isServed(route.from.uri)) };
}

function bodyOf({ body, bodyKind }: SampleDraft, served: boolean): unknown {
  if (served || bodyKind === "text") return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

/** The address of a route that has one of its own without parts to fill in. */
function ownPath(uri: string): string | undefined {
  const path = /^platform-http:\/*([^?{]*)(?:\?|$)/.exec(uri)?.[1];
  return path === undefined || path.endsWith("*") ? undefined : `/${path}`;
}
