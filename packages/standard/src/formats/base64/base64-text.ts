import { invalidInput } from "../format-input.ts";

const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const urlSafe = `${standard.slice(0, 62)}-_`;
const values = new Int16Array(128).fill(-1);
for (const alphabet of [standard, urlSafe]) for (let index = 0; index < 64; index++) values[alphabet.charCodeAt(index)] = index;

/** Bytes as base64; the URL-safe alphabet goes without padding. */
export function encodeBase64(bytes: Uint8Array, isUrlSafe = false): string {
  const alphabet = isUrlSafe ? urlSafe : standard;
  const parts: string[] = [];
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [one, two, three] = [bytes[at] as number, bytes[at + 1], bytes[at + 2]];
    text += alphabet.charAt(one >> 2) + alphabet.charAt(((one & 3) << 4) | ((two ?? 0) >> 4));
    text += two === undefined ? (isUrlSafe ? "" : "=") : alphabet.charAt(((two & 15) << 2) | ((three ?? 0) >> 6));
    text += three === undefined ? (isUrlSafe ? "" : "=") : alphabet.charAt(three & 63);
    if (text.length > 8192) {
      parts.push(text);
      text = "";
    }
  }
  return parts.join("") + text;
}

/** The bytes of a base64 text in either alphabet. Line breaks and blanks do not count; anything else that is no base64 is a fault. */
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
    if (value < 0 || isOver) throw invalidInput("base64", `the body is no base64: unexpected ${JSON.stringify(text.charAt(at))} at position ${at + 1}`);
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[size++] = (held >> bits) & 255;
    }
  }
  if (bits === 6) throw invalidInput("base64", "the body is no base64: it ends in the middle of a byte");
  return bytes.slice(0, size);
}
