import { defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { commonFields, withBytes, withText } from "../format-input.ts";
import { decodeBase64, encodeBase64 } from "./base64-text.ts";

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
    lineLength: f.integer({ doc: "Characters per line; 0 or less writes a single line without a line break.", default: 76 }),
    lineSeparator: f.text({ doc: "Line separator, which is also written after the last line; CR LF by default." }),
    urlSafe: f.boolean({ doc: "Uses - and _ instead of + and / and no padding.", default: false }),
  },
  examples: [
    { title: "Encode", yaml: "marshal: {base64: {lineLength: 0}}", given: { body: "hello" }, expect: { body: "aGVsbG8=" } },
    { title: "Decode", yaml: "unmarshal: {base64: {}}", given: { body: "aGVsbG8=\r\n" }, expect: { body: new TextEncoder().encode("hello") } },
  ],
  create({ lineLength, lineSeparator = "\r\n", urlSafe }) {
    // Lines hold whole groups of four characters.
    const width = Math.floor(lineLength / 4) * 4;
    const separator = lineSeparator.replaceAll(String.raw`\r`, "\r").replaceAll(String.raw`\n`, "\n");
    return {
      marshal: (body) => withBytes(body, (bytes) => encodeBase64(bytes, { isUrlSafe: urlSafe, ...(width > 0 ? { lines: { width, separator } } : {}) })),
      unmarshal: (body) => withText(body, decodeBase64),
    };
  },
});
