// Bodies and headers for display: limited in size, as JSON or text, with masked secrets. An unreadable body is marked as such.
import { decodeText, copyString, toPlainWithin } from "@sluice/engine/values";
import { isSecretHeader, masked } from "./secret-headers.ts";
import { maskMembers, maskMembersOf } from "./secret-members.ts";
import { maskQuery, maskUris } from "./secret-uris.ts";
import type { SecretValues } from "./secret-values.ts";

export interface BodyPreview {
  readonly text: string;
  /** Size of the whole body in bytes; undefined when determining the size would require serializing the whole body. */
  readonly size: number | undefined;
  readonly truncated: boolean;
}

/** The start of a body as text. The result does not reference the body. */
export function previewBody(body: unknown, limit: number): BodyPreview {
  if (body === null || body === undefined) return { text: "", size: 0, truncated: false };
  if (body instanceof Uint8Array) {
    const truncated = body.byteLength > limit;
    return { text: decodeText(truncated ? body.subarray(0, limit) : body), size: body.byteLength, truncated };
  }
  if (typeof body === "string") {
    // Copied, because it may be a slice of a much larger string.
    if (body.length <= limit) return { text: copyString(body), size: Buffer.byteLength(body), truncated: false };
    // Encoded as bytes, which avoids half of a surrogate pair.
    return { text: Buffer.from(body.slice(0, limit)).toString(), size: Buffer.byteLength(body), truncated: true };
  }
  if (typeof body !== "object") return { text: String(body), size: undefined, truncated: false };
  const { plain, complete } = toPlainWithin(body, limit);
  const text = JSON.stringify(plain);
  return complete && text.length <= limit
    ? { text, size: Buffer.byteLength(text), truncated: false }
    : { text: text.slice(0, limit), size: undefined, truncated: true };
}

/** The value as JSON data of at most about `limit` characters, without the beginning of a secret where it is truncated. */
export function plainWithin(value: unknown, limit: number, secrets: Pick<SecretValues, "scrubEnd">): unknown {
  const { plain, complete } = toPlainWithin(value, limit);
  return complete ? plain : maskEnd(plain, secrets);
}

/** Masks the beginning of a secret at the end of a truncated value. */
export function maskEnd(truncated: unknown, secrets: Pick<SecretValues, "scrubEnd">): unknown {
  const json = JSON.stringify(truncated);
  const shown = secrets.scrubEnd(json);
  if (shown === json) return truncated;
  try {
    return JSON.parse(shown) as unknown;
  } catch {
    // The secret was not inside a string.
    return masked;
  }
}

const maxHeaderTextLength = 16_384;
const tooLong = "[too long]";

/** Headers as JSON data with masked secrets. */
export function shownHeaders(headers: Iterable<readonly [string, unknown]>, isSecret: (name: string) => boolean = isSecretHeader): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  eachShown(headers, isSecret, (name, value) => (shown[name] = value));
  return shown;
}

/** Headers as members of a JSON object; faster for frequent use. */
export function headersText(headers: Iterable<readonly [string, unknown]>): string {
  const members: string[] = [];
  eachShown(headers, isSecretHeader, (name, value) => members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`));
  return members.join(",");
}

function eachShown(headers: Iterable<readonly [string, unknown]>, isSecret: (name: string) => boolean, show: (name: string, value: unknown) => void): void {
  let remaining = maxHeaderTextLength;
  for (const [name, value] of headers) {
    if (name === "__proto__") continue;
    let plain = value;
    let complete = true;
    // Short strings, the common case, need no conversion.
    if (typeof value !== "string" || value.length + 8 > remaining) ({ plain, complete } = toPlainWithin(value, remaining));
    // A truncated value could end with the beginning of a secret.
    const shown = isSecret(name) ? masked : complete ? maskPasswords(name, plain) : tooLong;
    remaining -= name.length + (typeof shown === "string" ? shown.length : 16);
    if (remaining < 0) break;
    show(name, shown);
    if (!complete) break;
  }
}

/** Masks passwords: a header may contain a URI, a query, or a whole body. */
export function maskPasswords(name: string, value: unknown): unknown {
  if (typeof value !== "string") return maskMembersOf(value);
  return /query$/i.test(name) ? maskQuery(value) : maskUris(maskMembers(value));
}
