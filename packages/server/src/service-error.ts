// The errors that reject a request. The API maps their codes to HTTP status codes.

export type ServiceErrorCode =
  | "unauthorized"
  | "token-unconfigured"
  | "forbidden"
  | "not-found"
  | "gone"
  | "method-not-allowed"
  | "version-unserved"
  | "body-invalid"
  | "id-invalid"
  | "query-invalid"
  | "yaml-invalid"
  | "body-too-large"
  | "media-unsupported"
  | "flow-invalid"
  | "flow-start-failed"
  | "tests-failed"
  | "document-invalid"
  | "connection-failed"
  | "conflict"
  | "changed"
  | "too-many"
  | "draining"
  | "saturated"
  | "storage-full"
  | "storage-refused"
  | "cluster-conflict"
  | "cluster-unreachable"
  | "cluster-uncertain"
  | "cluster-unsupported"
  | "internal";

/** A rejected request; the text is shown to the caller: one sentence with the problem and its location. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ServiceErrorCode, text: string, headers?: Readonly<Record<string, string>>) {
    super(text);
    this.name = "ServiceError";
    this.code = code;
    this.headers = headers;
  }
}

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
