// The error responses of an endpoint for the OpenAPI document: the errors that the endpoint declares, and those that the steps before its handler throw.
import { errorCodes, statusOf, type ServiceErrorCode } from "../service-error.ts";
import type { Endpoint } from "./endpoint.ts";

type Json = Readonly<Record<string, unknown>>;

/** Errors of a change that is stored. */
export const changeErrors = ["storage-full", "storage-refused", "cluster-conflict", "cluster-unreachable", "cluster-uncertain"] as const;

/** Errors of requests that cannot be read: the listener sends them before it looks at the path. */
const unreadableErrors = [
  "request-invalid",
  "request-timeout",
  "body-too-large",
  "target-too-long",
  "expectation-unsupported",
  "head-too-large",
  "http-version-unsupported",
] as const;

/** The response of a webhook to requests that cannot be read, and whatever its route sets. */
export const otherError = "other-error";

/** Every code that the endpoint can reply with. A rejected document is reported with the code of its first problem instead, but with the same status. */
function errorCodesOf(endpoint: Endpoint): readonly ServiceErrorCode[] {
  const { open, method, whileDraining, query, body, conditional, owned, combine, errors } = endpoint;
  return [
    ...unreadableErrors,
    ...(open === true ? [] : (["unauthorized", "token-unconfigured"] as const)),
    "version-unserved",
    "internal",
    ...(method === "GET" || whileDraining === true ? [] : (["draining"] as const)),
    ...(query === undefined ? [] : (["query-invalid"] as const)),
    ...(body === undefined ? [] : (["body-invalid", "media-unsupported", "encoding-unsupported", "saturated"] as const)),
    ...(conditional !== undefined ? (["changed", "already-exists"] as const) : []),
    ...(owned === undefined && combine === undefined ? [] : (["cluster-uncertain"] as const)),
    ...errors,
  ];
}

/** Collects the error responses of all operations: those of the same status with the same codes are defined once. */
export class ErrorResponses {
  readonly #definitions = new Map<string, Json>();

  /** References by status. */
  of(endpoint: Endpoint): Readonly<Record<string, Json>> {
    const codesOf = new Map<number, ServiceErrorCode[]>();
    for (const code of [...new Set(errorCodesOf(endpoint))].sort()) codesOf.set(statusOf({ code }), [...(codesOf.get(statusOf({ code })) ?? []), code]);
    return Object.fromEntries([...codesOf].map(([status, codes]) => [String(status), this.#reference(codes)]));
  }

  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #reference(codes: readonly ServiceErrorCode[]): Json {
    const name = codes.join(".");
    if (!this.#definitions.has(name)) this.#definitions.set(name, errorResponse(codes));
    return { $ref: `#/components/responses/${name}` };
  }
}

export const errorResponse = (codes: readonly ServiceErrorCode[]): Json => ({
  "x-error-codes": Object.fromEntries(codes.map((code) => [code, errorCodes[code].meaning])),
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(" "),
  headers: {
    "X-Error-Code": { $ref: "#/components/headers/ErrorCode" },
    ...(codes.some((code) => [429, 503].includes(statusOf({ code }))) ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
  },
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});
