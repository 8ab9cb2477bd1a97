import { defineFormat } from "@sluice/engine/spi";
import { commonFields, withBytes } from "../format-input.ts";
import { gzip } from "./deflate.ts";
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
  create: (_options, clock) => ({
    marshal: (body) => withBytes(body, (bytes) => gzip(bytes, clock)),
    unmarshal: (body) => withBytes(body, (bytes) => inflate(bytes, { encoding: "gzip", format: "gzip", clock })),
  }),
});
