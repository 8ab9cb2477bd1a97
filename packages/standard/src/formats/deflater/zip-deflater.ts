import { defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { DeflateOptions } from "fflate";
import { commonFields, withBytes } from "../format-input.ts";
import { zlib } from "./deflate.ts";
import { inflate } from "./inflate.ts";

export const zipDeflater = defineFormat({
  name: "zipDeflater",
  title: "Deflate",
  summary: "Compresses bytes with zlib, and decompresses them.",
  group: "binary",
  icon: "archive",
  since: "0.1",
  options: {
    ...commonFields,
    compressionLevel: f.integer({
      doc: "Compression level: 0 for no compression, 9 for the smallest result, -1 for the default.",
      default: -1,
      min: -1,
      max: 9,
    }),
  },
  examples: [
    {
      title: "Compress and decompress",
      yaml: "pipeline: {steps: [{marshal: {zipDeflater: {}}}, {unmarshal: {zipDeflater: {}}}]}",
      given: { body: "hello" },
      expect: { body: new TextEncoder().encode("hello") },
    },
  ],
  create({ compressionLevel }, clock) {
    const options: DeflateOptions = { level: (compressionLevel < 0 ? 6 : compressionLevel) as NonNullable<DeflateOptions["level"]> };
    return {
      marshal: (body) => withBytes(body, (bytes) => zlib(bytes, options, clock)),
      unmarshal: (body) => withBytes(body, (bytes) => inflate(bytes, { encoding: "zlib", format: "zlib", clock })),
    };
  },
});
