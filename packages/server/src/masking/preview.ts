// Bodies and headers as they are shown to people: bounded, as JSON or text, without secrets. One that cannot be read says so.
import { decodeText, ownText, toPlain, toPlainWithin } from "@sluice/engine";
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
  if (body instanceof Uint8Array) {
    const truncated = body.byteLength > limit;
    return { text: decodeText(truncated ? body.subarray(0, limit) : body), size: body.byteLength, truncated };
  }
  if (typeof body === "string") {
    // It may be cut from a text that is much larger.
    if (body.length <= limit) return { text: ownText(body), size: Buffer.byteLength(body), truncated: false };
    // Through bytes, which have no halves of characters.
    return { text: Buffer.from(body.slice(0, limit)).toString(), size: Buffer.byteLength(body), truncated: true };
  }
  if (typeof body !== "object") return { text: String(body), size: undefined, truncated: false };
  const { plain, complete } = toPlainWithin(body, limit);
  const text = JSON.stringify(plain);
  return complete && text.length <= limit
    ? { text, size: Buffer.byteLength(text), truncated: false }
    : { text: text.slice(0, limit), size: undefined, truncated: true };
}

const mostHeaderText = 16_384;

/** Headers as JSON data, secret ones masked. */
export function shownHeaders(headers: Iterable<readonly [string, unknown]>, isSecret: (name: string) => boolean = isSecretHeader): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  eachShown(headers, isSecret, (name, value) => (shown[name] = value));
  return shown;
}

/** The same as members of a JSON object, for those who write them often. */
export function headersText(headers: Iterable<readonly [string, unknown]>): string {
  const members: string[] = [];
  eachShown(headers, isSecretHeader, (name, value) => members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`));
  return members.join(",");
}

function eachShown(headers: Iterable<readonly [string, unknown]>, isSecret: (name: string) => boolean, show: (name: string, value: unknown) => void): void {
  let left = mostHeaderText;
  for (const [name, value] of headers) {
    if (name === "__proto__") continue;
    // Most are short texts, which are plain already.
    const plain = typeof value === "string" && value.length + 8 <= left ? value : toPlain(value, left);
    const shown = isSecret(name) ? masked : withoutPasswords(name, plain);
    left -= name.length + (typeof shown === "string" ? shown.length : 16);
    if (left < 0) break;
    show(name, shown);
  }
}

/** A header may hold the address of a call, or its query alone. */
function withoutPasswords(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return /query$/i.test(name) ? maskQuery(value) : maskUris(value);
}
