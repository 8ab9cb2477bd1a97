// Platform functions for routes called over HTTP, injected so that the routes also run where Node is not available.
import type { Digest } from "./idempotency.ts";

export interface Upload {
  readonly body: Uint8Array;
  readonly headers: readonly (readonly [string, unknown])[];
}

export interface HttpTools {
  /** Digest for comparing the bodies of repeated requests. */
  readonly digest: Digest;
  /** Parses a form upload; a body that is not a valid form is passed on unchanged. */
  readUpload(body: Uint8Array, contentType: string): Promise<Upload>;
}

export function isMultipart(contentType: string | undefined): contentType is string {
  return contentType !== undefined && /^multipart\/form-data\s*;.*\bboundary=/i.test(contentType);
}
