// What routes called over HTTP need of the machine they run on; given to them, so that the same routes run where it is missing.
import type { Digest } from "./idempotency.ts";

export interface Upload {
  readonly body: Uint8Array;
  readonly headers: readonly (readonly [string, unknown])[];
}

export interface HttpTools {
  /** Tells whether a repeated request has the same body. */
  readonly digest: Digest;
  /** Reads a form upload; a body that is no valid form is handed on as it came. */
  readUpload(body: Uint8Array, contentType: string): Promise<Upload>;
}

export function isMultipart(contentType: string | undefined): contentType is string {
  return contentType !== undefined && /^multipart\/form-data\s*;.*\bboundary=/i.test(contentType);
}
