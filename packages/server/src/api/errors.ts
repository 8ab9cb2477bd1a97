// The faults the API tells its callers about, and the one place where a fault becomes a status.

export type ErrorCode =
  | "unauthorized"
  | "token-unconfigured"
  | "forbidden"
  | "not-found"
  | "gone"
  | "method-not-allowed"
  | "body-invalid"
  | "id-invalid"
  | "query-invalid"
  | "yaml-invalid"
  | "body-too-large"
  | "media-unsupported"
  | "flow-invalid"
  | "flow-start-failed"
  | "document-invalid"
  | "conflict"
  | "changed"
  | "too-many"
  | "draining"
  | "saturated"
  | "storage-full"
  | "storage-refused"
  | "internal";

export const statusOf = {
  unauthorized: 401,
  "token-unconfigured": 503,
  forbidden: 403,
  "not-found": 404,
  gone: 410,
  "method-not-allowed": 405,
  "body-invalid": 400,
  "id-invalid": 400,
  "query-invalid": 400,
  "yaml-invalid": 400,
  "body-too-large": 413,
  "media-unsupported": 415,
  "flow-invalid": 422,
  "flow-start-failed": 422,
  "document-invalid": 422,
  conflict: 409,
  changed: 412,
  "too-many": 429,
  draining: 503,
  saturated: 503,
  "storage-full": 507,
  "storage-refused": 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** A fault whose text the caller may read: one sentence that says what and where. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, text: string, headers?: Readonly<Record<string, string>>) {
    super(text);
    this.name = "ApiError";
    this.code = code;
    this.headers = headers;
  }
}

const longestText = 500;

/** A text that fits into an error body. */
export function errorText(text: string): string {
  const oneLine = text.replaceAll(/\s*\n\s*/g, " ");
  return oneLine.length <= longestText ? oneLine : `${oneLine.slice(0, longestText - 1)}…`;
}
