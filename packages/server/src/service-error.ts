// The errors that reject a request: their codes, with the HTTP status of the reply and what the code means.

/** `meaning` is for the documentation. */
export const errorCodes = {
  unauthorized: { status: 401, meaning: "The credential is missing or wrong." },
  "token-unconfigured": { status: 503, meaning: "SERVICE_DEPLOY_TOKEN is not set, so the management API is closed." },
  forbidden: { status: 403, meaning: "The caller or the configuration of the runtime does not allow this." },
  "not-found": { status: 404, meaning: "The item in the path or the body does not exist." },
  gone: { status: 410, meaning: "The test session expired." },
  "method-not-allowed": { status: 405, meaning: "The path does not support the method; `Allow` lists those it supports." },
  "version-unserved": { status: 406, meaning: "The runtime does not serve the requested API version." },
  "body-invalid": { status: 400, meaning: "The body cannot be read, or a member is missing or has the wrong type." },
  "id-invalid": { status: 400, meaning: "The id in the path is not valid." },
  "query-invalid": { status: 400, meaning: "A query parameter is not valid or is repeated." },
  "yaml-invalid": { status: 400, meaning: "The YAML cannot be parsed." },
  "body-too-large": { status: 413, meaning: "The body exceeds SERVICE_MAX_BODY or another limit in the message." },
  "media-unsupported": { status: 415, meaning: "The body has an unsupported content type or character set." },
  "encoding-unsupported": { status: 415, meaning: "The body has an unsupported content encoding." },
  "flow-invalid": { status: 422, meaning: "The flow cannot be deployed." },
  "flow-start-failed": { status: 422, meaning: "A route failed to start; what ran before keeps running." },
  "tests-failed": { status: 422, meaning: "The tests of the flow failed." },
  "document-invalid": { status: 422, meaning: "The document can be read but is not valid." },
  "connection-failed": { status: 422, meaning: "The other system cannot be reached or rejects the connection." },
  conflict: { status: 409, meaning: "The current state does not allow the change." },
  changed: { status: 412, meaning: "The item differs from the version in If-Match, or If-Match has only weak ETags." },
  "already-exists": { status: 412, meaning: "The item exists, or has the version in If-None-Match." },
  "too-many": { status: 429, meaning: "Too many items of this kind are open." },
  "rate-limited": { status: 429, meaning: "The caller exceeded the rate limit of the access policy." },
  "identity-unavailable": { status: 503, meaning: "The credential cannot be checked at the moment." },
  "policy-unreadable": { status: 503, meaning: "The access policy of the route cannot be read, so all access is denied." },
  draining: { status: 503, meaning: "The runtime is shutting down." },
  saturated: { status: 503, meaning: "The runtime is overloaded, or too many clients are connected." },
  "route-stopped": { status: 503, meaning: "The route at this path is stopped." },
  "worker-unavailable": { status: 503, meaning: "The worker that must process the request is unavailable." },
  "node-unavailable": { status: 503, meaning: "No node of the cluster runs the flow." },
  "storage-full": { status: 507, meaning: "The disk is full." },
  "storage-refused": { status: 500, meaning: "The data directory cannot be read or written." },
  "cluster-conflict": { status: 409, meaning: "Other nodes changed the configuration at the same time." },
  "cluster-unreachable": { status: 503, meaning: "The cluster store is unreachable; nothing was changed." },
  "cluster-uncertain": { status: 503, meaning: "The outcome is unknown, because another node or the cluster store did not respond." },
  "cluster-unsupported": { status: 403, meaning: "The runtime does not support this in a cluster." },
  "request-invalid": { status: 400, meaning: "The request is not valid HTTP, or If-Match or If-None-Match cannot be read." },
  "request-timeout": { status: 408, meaning: "The request was not received in time." },
  "target-too-long": { status: 414, meaning: "The path with its query is too long." },
  "expectation-unsupported": { status: 417, meaning: "The header Expect has an unsupported value." },
  "head-too-large": { status: 431, meaning: "The request has too many or too long headers." },
  "http-version-unsupported": { status: 505, meaning: "The request uses an unsupported HTTP version." },
  internal: { status: 500, meaning: "An unexpected error; the log contains it under the reference in the message." },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

export type ServiceErrorCode = keyof typeof errorCodes;

/** What an error reply is made of. */
export interface ErrorReply {
  /** Determines the status. */
  readonly code: ServiceErrorCode;
  /** Shown to the caller: one sentence with the problem and its location. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The code of the first problem in the rejected document, which the reply reports instead of `code`. */
  readonly problemCode?: string | undefined;
}

/** A rejected request. */
export class ServiceError extends Error implements ErrorReply {
  readonly code: ServiceErrorCode;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly problemCode: string | undefined;

  constructor(code: ServiceErrorCode, text: string, headers?: Readonly<Record<string, string>>, problemCode?: string) {
    super(text);
    this.name = "ServiceError";
    this.code = code;
    this.headers = headers;
    this.problemCode = problemCode;
  }
}

export const statusOf = ({ code }: Pick<ErrorReply, "code">): number => errorCodes[code].status;

/** The headers of an error reply with a JSON body. */
export const errorHeaders = ({ code, problemCode, headers }: ErrorReply): Readonly<Record<string, string>> => ({
  "Content-Type": "application/json",
  "X-Error-Code": problemCode ?? code,
  ...headers,
});

/** The error for an invalid id in a path. Invisible characters are replaced. */
export function invalidId(id: string): ServiceError {
  const printableId = id.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, 140);
  return new ServiceError("id-invalid", `invalid id '${printableId}': use letters, digits, '.', '_', '-' (max 128)`);
}

const maxTextLength = 500;

/** Shortens a string to one line that fits into an error body. */
export function oneSentence(text: string): string {
  const oneLine = text.replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  return oneLine.length <= maxTextLength ? oneLine : `${oneLine.slice(0, maxTextLength - 1)}…`;
}
