// Why a request is rejected. The API maps refusals to HTTP replies.

export type RefusalCode =
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
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: RefusalCode, text: string, headers?: Readonly<Record<string, string>>) {
    super(text);
    this.name = "Refusal";
    this.code = code;
    this.headers = headers;
  }
}

/** The error for an invalid id in a path. Invisible characters are replaced. */
export function invalidId(id: string): Refusal {
  const shown = id.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, 140);
  return new Refusal("id-invalid", `invalid id '${shown}': use letters, digits, '.', '_', '-' (max 128)`);
}

const maxTextLength = 500;

/** Shortens a string to one line that fits into an error body. */
export function oneSentence(text: string): string {
  const oneLine = text.replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  return oneLine.length <= maxTextLength ? oneLine : `${oneLine.slice(0, maxTextLength - 1)}…`;
}
