import { encodeBase64 } from "../../../formats/base64/base64-text.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value++) values[alphabet.charCodeAt(value)] = value;
values[45] = 62;
values[95] = 63;

/** Bytes as base64, in one line. */
export const base64Encode = (data: Uint8Array): string => encodeBase64(data);

/** Bytes as MIME base64: lines of 76 characters, each ended by CR LF. */
export const base64Mime = (data: Uint8Array): string => encodeBase64(data, { lines: { width: 76, separator: "\r\n" } });

/** Decodes base64, including its URL-safe alphabet; other characters are skipped, as in MIME. Undefined when the last group has only one character. */
export function base64Decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const value = values[text.charCodeAt(at)] ?? -1;
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xff_ff_ff;
    if (++count % 4 !== 1) bytes[length++] = (bits >> ((count % 4 === 2 && 4) || (count % 4 === 3 && 2) || 0)) & 255;
  }
  return count % 4 === 1 ? undefined : bytes.subarray(0, length);
}
