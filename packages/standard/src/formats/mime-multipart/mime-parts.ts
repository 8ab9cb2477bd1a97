// A MIME multipart body ⇄ its parts. Nested multiparts are not parsed.
import { decodeBase64, encodeBase64 } from "../base64/base64-text.ts";
import { concatBytes, invalidInput } from "../format-input.ts";

export interface MimePart {
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const maxParts = 1000;
const maxHeadBytes = 64 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The boundary parameter of a multipart Content-Type. */
export function boundaryOf(contentType: string): string | undefined {
  return /^\s*multipart\//i.test(contentType) ? parameter(contentType, "boundary") : undefined;
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(header);
  return match === null ? undefined : (match[1]?.replaceAll(/\\(.)/g, "$1") ?? match[2]);
}

/** The headers at the beginning of a part, and the start of the content. */
export function readHead(bytes: Uint8Array): { readonly headers: Record<string, string>; readonly contentAt: number } {
  const end = find(bytes, encoder.encode("\r\n\r\n"), 0);
  const lineFeedEnd = end < 0 ? find(bytes, encoder.encode("\n\n"), 0) : -1;
  const contentAt = end >= 0 ? end + 4 : lineFeedEnd >= 0 ? lineFeedEnd + 2 : bytes.length;
  if (contentAt > maxHeadBytes) throw invalidInput("mime", `the headers of a MIME part are larger than ${maxHeadBytes} bytes`);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  const lines = decoder
    .decode(bytes.subarray(0, contentAt))
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { headers, contentAt };
}

export function readParts(bytes: Uint8Array, boundary: string): MimePart[] {
  const line = encoder.encode(`--${boundary}`);
  const parts: MimePart[] = [];
  let at = findLine(bytes, line, 0);
  if (at < 0) throw invalidInput("mime", "the body does not contain the boundary of its Content-Type header");
  for (;;) {
    at += line.length;
    if (bytes[at] === 45 && bytes[at + 1] === 45) return parts;
    while (bytes[at] === 32 || bytes[at] === 9) at++;
    at += bytes[at] === 13 ? 2 : 1;
    const next = findLine(bytes, line, at);
    if (next < 0) throw invalidInput("mime", "the last part of the body is not terminated by its boundary");
    let end = next;
    if (bytes[end - 1] === 10) end--;
    if (bytes[end - 1] === 13) end--;
    parts.push(toPart(bytes.subarray(at, Math.max(at, end))));
    if (parts.length > maxParts) throw invalidInput("mime", `the body has more than ${maxParts} parts`);
    at = next;
  }
}

function toPart(bytes: Uint8Array): MimePart {
  const { headers, contentAt } = bytes[0] === 13 || bytes[0] === 10 ? { headers: {}, contentAt: bytes[0] === 13 ? 2 : 1 } : readHead(bytes);
  const disposition = headers["content-disposition"] ?? "";
  const contentType = headers["content-type"] ?? "text/plain";
  return {
    name: parameter(disposition, "name") ?? headers["content-id"]?.replaceAll(/[<>]/g, ""),
    fileName: parameter(disposition, "filename") ?? parameter(contentType, "name"),
    contentType,
    headers: { ...headers },
    body: decodeContent(bytes.slice(contentAt), headers["content-transfer-encoding"]),
  };
}

function decodeContent(bytes: Uint8Array, encoding: string | undefined): Uint8Array {
  const kind = encoding?.trim().toLowerCase();
  if (kind === "base64") return decodeBase64(decoder.decode(bytes));
  if (kind !== "quoted-printable") return bytes;
  const text = latin1(bytes)
    .replaceAll(/(?<![ \t])[ \t]+(?=\r?\n)/g, "")
    .replaceAll(/=\r?\n/g, "");
  const decoded: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const hex = text[at] === "=" ? /^[0-9A-Fa-f]{2}$/.exec(text.slice(at + 1, at + 3)) : null;
    decoded.push(hex === null ? text.charCodeAt(at) : Number.parseInt(hex[0], 16));
    if (hex !== null) at += 2;
  }
  return Uint8Array.from(decoded);
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function writeParts(parts: readonly MimePart[], boundary: string, binary: boolean): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (const part of parts) {
    const disposition =
      part.fileName === undefined && part.name === undefined
        ? ""
        : `Content-Disposition: attachment${quote("name", part.name)}${quote("filename", part.fileName)}\r\n`;
    const encoding = binary ? "binary" : "base64";
    chunks.push(encoder.encode(`--${boundary}\r\nContent-Type: ${clean(part.contentType)}\r\n${disposition}Content-Transfer-Encoding: ${encoding}\r\n\r\n`));
    chunks.push(binary ? part.body : encoder.encode((encodeBase64(part.body).match(/.{1,76}/g) ?? []).join("\r\n")), encoder.encode("\r\n"));
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return concatBytes(chunks);
}

/** Line breaks in a value would start another header. */
const clean = (value: string): string => value.replaceAll(/[\r\n]+/g, " ");

function quote(name: string, value: string | undefined): string {
  return value === undefined ? "" : `; ${name}="${clean(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The start of the next boundary. It begins a line, and is not the start of a longer boundary, such as that of a nested multipart. */
function findLine(bytes: Uint8Array, line: Uint8Array, from: number): number {
  const isBoundary = (at: number): boolean => (at === from || bytes[at - 1] === 10) && endsBoundary(bytes, at + line.length);
  let at = find(bytes, line, from);
  while (at >= 0 && !isBoundary(at)) at = find(bytes, line, at + 1);
  return at;
}

function endsBoundary(bytes: Uint8Array, at: number): boolean {
  const next = bytes[at];
  return next === undefined || next === 13 || next === 10 || next === 32 || next === 9 || (next === 45 && bytes[at + 1] === 45);
}

function find(bytes: Uint8Array, what: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(what[0] as number, from); at >= 0 && at + what.length <= bytes.length; at = bytes.indexOf(what[0] as number, at + 1)) {
    let matched = 1;
    while (matched < what.length && bytes[at + matched] === what[matched]) matched++;
    if (matched === what.length) return at;
  }
  return -1;
}
