// The edited sample message and its conversion to a message.
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { RouteOutline } from "@sluice/model";
import type { Sample } from "../simulation/simulate.ts";

export interface SampleDraft {
  /** Undefined selects the first route. */
  readonly routeId: string | undefined;
  readonly method: string;
  /** One per line, `Name: value`. */
  readonly headers: string;
  readonly body: string;
  /** Whether a JSON body is parsed as data; a webhook always gets bytes. */
  readonly bodyKind: "text" | "json";
  /** A binary file; overrides `body`. */
  readonly bytes: Uint8Array | undefined;
  /** Description of its origin; empty for typed samples. */
  readonly origin: string;
  /** The step at which a forked run starts, with the properties and variables set before it; undefined to start at the trigger. */
  readonly start: SampleStart | undefined;
}

interface SampleStart {
  readonly stepId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const emptySample: SampleDraft = {
  routeId: undefined,
  method: "POST",
  headers: "Content-Type: application/json",
  body: '{"hello": "world"}',
  bodyKind: "text",
  bytes: undefined,
  origin: "",
  start: undefined,
};

/** The route that the sample is sent to: the selected one, or the first one. */
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

/** The message of a draft. */
export function sampleOf(draft: SampleDraft, route: RouteOutline, catalog: FlowCatalog | undefined): Sample {
  const common = { routeId: route.id, headers: headersOf(draft.headers), method: draft.method };
  if (draft.start !== undefined) {
    const { stepId, properties, variables } = draft.start;
    return { ...common, body: draft.bytes ?? bodyOf(draft, false), fromStep: stepId, properties, variables };
  }
  const isHttpTrigger = catalog?.isHttpTrigger(route.from.uri) === true;
  const path = isHttpTrigger ? ownPath(route.from.uri) : undefined;
  const address = path === undefined ? {} : { path };
  return { ...common, ...address, body: draft.bytes ?? bodyOf(draft, isHttpTrigger) };
}

function bodyOf({ body, bodyKind }: SampleDraft, isHttpTrigger: boolean): unknown {
  if (isHttpTrigger || bodyKind === "text") return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

/** The path at which an HTTP route is called. */
export const calledPath = ({ id, from }: RouteOutline): string => ownPath(from.uri) ?? `/api/${id}`;

/** The path of an HTTP route, unless it has parameters; a route without one is called by its id. */
function ownPath(uri: string): string | undefined {
  const path = /^[^:?]+:\/*([^?{]*)(?:\?|$)/.exec(uri)?.[1];
  return path === undefined || path.endsWith("*") ? undefined : `/${path}`;
}
