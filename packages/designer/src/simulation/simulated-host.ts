// The host of a simulation: it does no I/O, collects log records and stores the HTTP routes.
import type { Exchange, Host, HttpMount, HttpReply, HttpRequest, LogLevel, Lookup, SessionTag } from "@sluice/engine";
import { unavailableConnections } from "./runtime-connectors.ts";
import { SimulatedClock } from "./simulated-clock.ts";

export interface LoggedLine {
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly stepId: string | undefined;
}

export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const maxLines = 1_000;
const maxLineLength = 4_000;

export class SimulatedHost implements Host {
  readonly clock = new SimulatedClock();
  readonly globals = new Map<string, unknown>();
  readonly lines: LoggedLine[] = [];
  readonly lookup: Lookup;
  readonly connections: NonNullable<Host["connections"]>;
  readonly #mounts: HttpMount[] = [];
  #count = 0;

  constructor(lookup: Lookup, connections: NonNullable<Host["connections"]> = unavailableConnections({ connectors: [], classes: [] })) {
    this.lookup = lookup;
    this.connections = connections;
  }

  readonly ids = { next: (): string => `S${String(++this.#count).padStart(25, "0")}` };

  readonly log = {
    enabled: (level: LogLevel): boolean => level !== "TRACE" && level !== "DEBUG",
    write: (level: LogLevel, logger: string, text: string, exchange?: Exchange): void => {
      if (this.lines.length < maxLines) this.lines.push({ level, logger, message: text.slice(0, maxLineLength), stepId: exchange?.at?.id });
    },
  };

  readonly http = {
    mount: (mount: HttpMount): (() => void) => {
      this.#mounts.push(mount);
      return () => void this.#mounts.splice(this.#mounts.indexOf(mount), 1);
    },
  };

  random(): number {
    return Math.random();
  }

  environment(): undefined {
    return undefined;
  }

  /** Passes a request to the route that serves its path; undefined when there is none. */
  request(request: SimulatedRequest, session: SessionTag): HttpReply | Promise<HttpReply> | undefined {
    for (const mount of this.#mounts) {
      if (mount.methods !== undefined && !mount.methods.includes(request.method)) continue;
      const params = match(mount, request.path);
      if (params !== undefined) return mount.handle(httpRequestOf(request, params, session));
    }
    return undefined;
  }
}

function match({ path, prefix }: HttpMount, requestPath: string): Readonly<Record<string, string>> | undefined {
  const pattern = segments(path);
  const requestSegments = segments(requestPath);
  if (requestSegments.length < pattern.length || (requestSegments.length > pattern.length && !prefix)) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = requestSegments[index] as string;
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name !== undefined) params[name] = value;
    else if (decode(segment).toLowerCase() !== value.toLowerCase()) return undefined;
  }
  return params;
}

const segments = (path: string): readonly string[] =>
  path
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => (/^\{.+\}$/.test(segment) ? segment : decode(segment)));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function httpRequestOf({ headers, ...request }: SimulatedRequest, params: Readonly<Record<string, string>>, session: SessionTag): HttpRequest {
  const lowerCaseHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...request, headers: lowerCaseHeaders, rawHeaders: Object.entries(headers).flat(), params, principal: undefined, session };
}
