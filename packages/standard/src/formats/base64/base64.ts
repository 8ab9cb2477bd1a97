import { defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { commonFields, withBytes, withText } from "../format-input.ts";
import { eachIncrementally, runIncrementally } from "../incremental.ts";
import { type Base64Form, Base64Decoder, encodeBase64 } from "./base64-text.ts";

/** Bytes encoded at a time: about five milliseconds. */
const stepSize = 384 * 1024;

/** Bytes as ASCII text. */
export const base64 = defineFormat({
  name: "base64",
  title: "Base64",
  summary: "Encodes bytes as base64 text, and decodes it.",
  group: "binary",
  icon: "binary",
  since: "0.1",
  options: {
    ...commonFields,
    lineLength: f.integer({
      doc: "Characters per line, rounded down to a multiple of four; a value below 4 writes a single line without a line break.",
      default: 76,
    }),
    lineSeparator: f.text({ doc: "Line separator, which is also written after the last line; CR LF by default." }),
    urlSafe: f.boolean({ doc: "Uses - and _ instead of + and / and no padding.", default: false }),
  },
  examples: [
    { title: "Encode", yaml: "marshal: {base64: {lineLength: 0}}", given: { body: "hello" }, expect: { body: "aGVsbG8=" } },
    { title: "Decode", yaml: "unmarshal: {base64: {}}", given: { body: "aGVsbG8=\r\n" }, expect: { body: new TextEncoder().encode("hello") } },
  ],
  create({ lineLength, lineSeparator = "\r\n", urlSafe }, clock) {
    // A line contains complete groups of four characters.
    const width = Math.floor(lineLength / 4) * 4;
    const separator = lineSeparator.replaceAll(String.raw`\r`, "\r").replaceAll(String.raw`\n`, "\n");
    const form: Base64Form = { isUrlSafe: urlSafe, ...(width > 0 ? { lines: { width, separator } } : {}) };
    return {
      marshal: (body) =>
        withBytes(body, (bytes) => {
          let text = "";
          const lineBytes = (Math.max(width, 4) / 4) * 3;
          return eachIncrementally(
            wholeLines(bytes, lineBytes),
            (piece) => void (text += encodeBase64(piece, form)),
            () => text,
            clock,
          );
        }),
      unmarshal: (body) =>
        withText(body, (text) => {
          const decoder = new Base64Decoder(text);
          return runIncrementally(stepsOf(decoder), () => decoder.bytes(), clock);
        }),
    };
  },
});

/** The bytes in pieces of whole lines, whose encoded text can be concatenated. */
function* wholeLines(bytes: Uint8Array, lineBytes: number): Generator<Uint8Array> {
  const size = Math.max(1, Math.floor(stepSize / lineBytes)) * lineBytes;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function* stepsOf(decoder: Base64Decoder): Generator<undefined> {
  while (decoder.step()) yield undefined;
}
