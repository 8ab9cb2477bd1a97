import { defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { commonFields, withBytes, withText } from "../format-input.ts";
import { decodeBase64, encodeBase64 } from "./base64-text.ts";

/** Bytes as text that survives everywhere. */
export const base64 = defineFormat({
  name: "base64",
  title: "Base64",
  summary: "Bytes as base64 text and back.",
  group: "binary",
  icon: "binary",
  since: "0.1",
  options: {
    ...commonFields,
    lineLength: f.integer({ doc: "Characters a line; 0 or less writes one line without a line break.", default: 76 }),
    lineSeparator: f.text({ doc: "Ends each line, the last one too; carriage return and line feed unless said." }),
    urlSafe: f.boolean({ doc: "Uses - and _ instead of + and / and no padding.", default: false }),
  },
  examples: [
    { title: "Encoding", yaml: "marshal: {base64: {lineLength: 0}}", given: { body: "hello" }, expect: { body: "aGVsbG8=" } },
    { title: "There and back", yaml: "unmarshal: {base64: {}}", given: { body: "aGVsbG8=\r\n" }, expect: { body: new TextEncoder().encode("hello") } },
  ],
  create({ lineLength, lineSeparator = "\r\n", urlSafe }) {
    // Lines hold whole groups of four characters.
    const width = Math.floor(lineLength / 4) * 4;
    const separator = lineSeparator.replaceAll(String.raw`\r`, "\r").replaceAll(String.raw`\n`, "\n");
    return {
      marshal: (body) =>
        withBytes(body, (bytes) => {
          const text = encodeBase64(bytes, urlSafe);
          if (width <= 0) return text;
          let lines = "";
          for (let at = 0; at < text.length; at += width) lines += text.slice(at, at + width) + separator;
          return lines;
        }),
      unmarshal: (body) => withText(body, decodeBase64),
    };
  },
});
