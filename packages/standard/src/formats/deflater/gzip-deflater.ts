import { defineFormat } from "@sluice/engine/spi";
import { gzipSync } from "fflate";
import { commonFields, withBytes } from "../format-input.ts";
import { inflate } from "./inflate.ts";

export const gzipDeflater = defineFormat({
  name: "gzipDeflater",
  title: "Gzip",
  summary: "Compresses bytes with gzip, and decompresses them.",
  group: "binary",
  icon: "archive",
  since: "0.1",
  options: { ...commonFields },
  examples: [
    {
      title: "Compress and decompress",
      yaml: "pipeline: {steps: [{marshal: {gzipDeflater: {}}}, {unmarshal: {gzipDeflater: {}}}]}",
      given: { body: "hello" },
      expect: { body: new TextEncoder().encode("hello") },
    },
  ],
  create: () => ({
    // Without a timestamp, the same body always produces the same bytes.
    marshal: (body) => withBytes(body, (bytes) => gzipSync(bytes, { mtime: 0 })),
    unmarshal: (body) => withBytes(body, (bytes) => inflate(bytes, "gzip", "gzip")),
  }),
});
