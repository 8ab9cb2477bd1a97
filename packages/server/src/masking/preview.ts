// Bodies and headers as they are shown to people: bounded, as JSON or text, without secrets. Never calls into the body's own code.
import { decodeText, toPlain, toPlainWithin } from "@sluice/engine";
import { isSecretHeader, masked } from "./secret-headers.ts";
import { maskQuery, maskUris } from "./secret-uris.ts";

export interface BodyPreview {
  readonly text: string;
  /** Bytes of the whole body; undefined when finding out would mean writing it all. */
  readonly size: number | undefined;
  readonly truncated: boolean;
}

/** The beginning of a body as text. The result holds no reference to the body. */
export function previewBody(body: unknown, limit: number): BodyPreview {
  if (body === null || body === undefined) return { text: "", size: 0, truncated: false };
  if (body instanceof Uint8Array) return { text: decodeText(body.subarray(0, limit)), size: body.byteLength, truncated: body.byteLength > limit };
  if (typeof body === "string") {
    if (body.length <= limit) return { text: body, size: Buffer.byteLength(body), truncated: false };
    // A slice would keep the whole text alive; going through bytes makes a text of its own.
    return { text: Buffer.from(body.slice(0, limit)).toString(), size: Buffer.byteLength(body), truncated: true };
  }
  if (typeof body !== "object") return { text: String(body), size: undefined, truncated: false };
  const { plain, complete } = toPlainWithin(body, limit);
  const text = JSON.stringify(plain);
  return complete && text.length <= limit
    ? { text, size: Buffer.byteLength(text), truncated: false }
    : { text: text.slice(0, limit), size: undefined, truncated: true };
}

/** Headers as JSON data, secret ones masked. */
export function shownHeaders(
  headers: Iterable<readonly [string, unknown]>,
  isSecret: (name: string) => boolean = isSecretHeader,
  limit = 16_384,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  let left = limit;
  for (const [name, value] of headers) {
    if (name === "__proto__") continue;
    const plain = isSecret(name) ? masked : withoutPasswords(name, toPlain(value, left));
    left -= name.length + (typeof plain === "string" ? plain.length : 16);
    if (left < 0) break;
    shown[name] = plain;
  }
  return shown;
}

/** A header may hold the address of a call, or its query alone. */
function withoutPasswords(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return /query$/i.test(name) ? maskQuery(value) : maskUris(value);
}
