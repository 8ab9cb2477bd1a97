import { invalidInput } from "../format-input.ts";

const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const urlSafe = `${standard.slice(0, 62)}-_`;
const values = new Int16Array(128).fill(-1);
for (const alphabet of [standard, urlSafe]) for (let index = 0; index < 64; index++) values[alphabet.charCodeAt(index)] = index;

const codesOf = (alphabet: string): Uint8Array => Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));
const standardCodes = codesOf(standard);
const urlSafeCodes = codesOf(urlSafe);
const padding = 61;
const decoder = new TextDecoder();

export interface Base64Form {
  /** The URL-safe alphabet has no padding. */
  readonly isUrlSafe?: boolean;
  /** Characters per line, a multiple of four, and the line separator; a single line by default. */
  readonly lines?: { readonly width: number; readonly separator: string };
}

/** Encodes bytes as base64. Writes to a byte array: string concatenation is ten times slower. */
export function encodeBase64(bytes: Uint8Array, { isUrlSafe = false, lines }: Base64Form = {}): string {
  const codes = isUrlSafe ? urlSafeCodes : standardCodes;
  const separator = new TextEncoder().encode(lines?.separator ?? "");
  const width = lines?.width ?? Infinity;
  const characters = Math.ceil(bytes.length / 3) * 4;
  const out = new Uint8Array(characters + Math.ceil(characters / width) * separator.length);
  let size = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const given = bytes.length - at;
    const group = ((bytes[at] as number) << 16) | ((given > 1 ? (bytes[at + 1] as number) : 0) << 8) | (given > 2 ? (bytes[at + 2] as number) : 0);
    out[size++] = codes[group >> 18] as number;
    out[size++] = codes[(group >> 12) & 63] as number;
    if (given > 1 || !isUrlSafe) out[size++] = given > 1 ? (codes[(group >> 6) & 63] as number) : padding;
    if (given > 2 || !isUrlSafe) out[size++] = given > 2 ? (codes[group & 63] as number) : padding;
    column += 4;
    if (column < width && given > 3) continue;
    out.set(separator, size);
    size += separator.length;
    column = 0;
  }
  return decoder.decode(out.subarray(0, size));
}

/** Decodes base64 in either alphabet. Whitespace is ignored; other invalid characters are an error. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4) + 3);
  let size = 0;
  let bits = 0;
  let held = 0;
  let isOver = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 61) isOver = true;
    if (code === 61 || code === 32 || (code >= 9 && code <= 13)) continue;
    const value = code < 128 ? (values[code] as number) : -1;
    if (value < 0 || isOver) throw invalidInput("base64", `the body is not valid base64: unexpected ${JSON.stringify(text.charAt(at))} at position ${at + 1}`);
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[size++] = (held >> bits) & 255;
    }
  }
  if (bits === 6) throw invalidInput("base64", "the body is not valid base64: it ends in the middle of a byte");
  return bytes.slice(0, size);
}
