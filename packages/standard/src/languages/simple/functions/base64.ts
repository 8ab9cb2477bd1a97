const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Map([...alphabet].map((letter, value) => [letter.charCodeAt(0), value]));
values.set(45, 62).set(95, 63);

/** Bytes as base64, in one line. */
function base64Encode(data: Uint8Array): string {
  const parts: string[] = [];
  let text = "";
  for (let at = 0; at < data.length; at += 3) {
    const [one, two, three] = [data[at] as number, data[at + 1], data[at + 2]];
    const bits = (one << 16) | ((two ?? 0) << 8) | (three ?? 0);
    text += (alphabet[bits >> 18] as string) + (alphabet[(bits >> 12) & 63] as string);
    text += (two === undefined ? "=" : (alphabet[(bits >> 6) & 63] as string)) + (three === undefined ? "=" : (alphabet[bits & 63] as string));
    if (text.length > 8192) {
      parts.push(text);
      text = "";
    }
  }
  return parts.join("") + text;
}

/** Bytes as MIME base64: lines of 76 characters, each ended by CR LF. */
export function base64Mime(data: Uint8Array): string {
  return base64Encode(data).replaceAll(/.{1,76}/g, "$&\r\n");
}

/** The bytes of base64 text, also of the URL alphabet; characters outside it are skipped as MIME says. Undefined when bits are left over. */
export function base64Decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const value = values.get(text.charCodeAt(at));
    if (value === undefined) continue;
    bits = ((bits << 6) | value) & 0xff_ff_ff;
    if (++count % 4 !== 1) bytes[length++] = (bits >> ((count % 4 === 2 && 4) || (count % 4 === 3 && 2) || 0)) & 255;
  }
  return count % 4 === 1 ? undefined : bytes.subarray(0, length);
}
