// Compares replies of the management API with its OpenAPI document: an operation may reply only with statuses that it declares.

/** Statuses of requests that cannot be read, on paths and methods that the document does not describe. Every operation declares them. */
const unreadable = [408, 414, 417, 431, 505] as const;
const unserved: ReadonlySet<number> = new Set([401, 404, 503, ...unreadable]);
const wrongMethod: ReadonlySet<number> = new Set([401, 405, 503, ...unreadable]);

interface Declared {
  readonly segments: readonly string[];
  readonly methods: Readonly<Record<string, ReadonlySet<number>>>;
}

interface ReceivedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class DeclaredStatuses {
  readonly #paths: readonly Declared[];

  constructor(document: any) {
    this.#paths = Object.entries<any>(document.paths)
      .filter(([path]) => path.startsWith("/_api/"))
      .map(([path, item]) => ({
        segments: path.split("/").slice(2),
        methods: Object.fromEntries(
          Object.entries<any>(item).map(([method, { responses }]) => [
            method.toUpperCase(),
            new Set(Object.keys(responses).map(Number).filter(Number.isInteger)),
          ]),
        ),
      }))
      // As in the runtime, fixed segments take precedence.
      .toSorted((a, b) => parameterCount(a) - parameterCount(b));
  }

  /** What is wrong with a reply; undefined when nothing is. `path` is below `/_api` and may have a query. */
  problemOf(method: string, path: string, { status, headers, text }: ReceivedReply): string | undefined {
    const declared = this.#statusesOf(method === "HEAD" ? "GET" : method, path.split("?")[0] as string);
    if (!declared.has(status)) return `${method} ${path} replied with ${status}, which is not declared: ${text.slice(0, 200)}`;
    if (status < 400 || method === "HEAD") return undefined;
    return errorProblem(headers, text, isOwnReply(path, status))?.replace(/^/, `${method} ${path} replied with ${status}: `);
  }

  #statusesOf(method: string, path: string): ReadonlySet<number> {
    const segments = path.split("/").slice(1).map(decoded);
    // Never served: clients and proxies resolve them.
    if (segments.some((segment) => segment === "." || segment === "..")) return unserved;
    const matches = this.#paths.filter(
      (known) =>
        known.segments.length === segments.length &&
        known.segments.every((part, index) => (part.startsWith("{") ? segments[index] !== "" : part === segments[index])),
    );
    if (matches.length === 0) return unserved;
    return matches.find(({ methods }) => methods[method] !== undefined)?.methods[method] ?? wrongMethod;
  }
}

const parameterCount = ({ segments }: Declared): number => segments.filter((part) => part.startsWith("{")).length;

/** The readiness probe replies with 503 and the status. */
const isOwnReply = (path: string, status: number): boolean => path.startsWith("/health") && status === 503;

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function errorProblem(headers: Headers, text: string, isOwn: boolean): string | undefined {
  if (isOwn) return undefined;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(headers.get("x-error-code") ?? "")) return `the error code is '${headers.get("x-error-code")}'`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `the body is not JSON: ${text.slice(0, 200)}`;
  }
  const isError = typeof body === "object" && body !== null && Object.keys(body).join() === "error" && typeof (body as { error: unknown }).error === "string";
  return isError ? undefined : `the body is not {"error": text}: ${text.slice(0, 200)}`;
}
