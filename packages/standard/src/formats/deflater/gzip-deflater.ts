import { defineFormat } from "@sluice/engine/spi";
import { gzipSync } from "fflate";
import { commonFields, withBytes } from "../format-input.ts";
import { inflate } from "./inflate.ts";

export const gzipDeflater = defineFormat({
  name: "gzipDeflater",
  title: "Gzip",
  summary: "Packs bytes with gzip and back.",
  group: "binary",
  icon: "archive",
  since: "0.1",
  options: { ...commonFields },
  examples: [
    {
      title: "There and back",
      yaml: "pipeline: {steps: [{marshal: {gzipDeflater: {}}}, {unmarshal: {gzipDeflater: {}}}]}",
      given: { body: "hello" },
      expect: { body: new TextEncoder().encode("hello") },
    },
  ],
  create: () => ({
    // Without a time the same body always gives the same bytes.
    marshal: (body) => withBytes(body, (bytes) => gzipSync(bytes, { mtime: 0 })),
    unmarshal: (body) => withBytes(body, (bytes) => inflate(bytes, "gzip", "gzip")),
  }),
});
