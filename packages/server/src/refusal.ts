// Why a request is refused, as the code that decides says it. How a refusal looks over HTTP is the API's business.

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
  | "conflict"
  | "changed"
  | "too-many"
  | "draining"
  | "saturated"
  | "storage-full"
  | "storage-refused"
  | "internal";

/** A refusal whose text the caller may read: one sentence that says what and where. */
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

const longestText = 500;

/** A text that fits into an error body. */
export function oneSentence(text: string): string {
  const oneLine = text.replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  return oneLine.length <= longestText ? oneLine : `${oneLine.slice(0, longestText - 1)}…`;
}
