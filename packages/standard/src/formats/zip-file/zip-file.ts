import { defineFormat } from "@sluice/engine/spi";
import { zipSync } from "fflate";
import { archiveFields, entryName, readEntries } from "../archive.ts";
import { withBytes } from "../format-input.ts";
import { readZip } from "./read-zip.ts";

/** The time every entry gets, so that the same body always gives the same bytes. */
const entryTime = new Date(1980, 0, 1, 0, 0, 0);

export const zipFile = defineFormat({
  name: "zipFile",
  title: "Zip file",
  summary: "Puts the body into a zip file, or takes the entries out of one.",
  group: "binary",
  icon: "file-archive",
  since: "0.1",
  options: archiveFields,
  examples: [
    {
      title: "There and back",
      yaml: "pipeline: {steps: [{marshal: {zipFile: {}}}, {unmarshal: {zipFile: {}}}]}",
      given: { body: "hello", headers: { CamelFileName: "a.txt" } },
      expect: { body: new TextEncoder().encode("hello"), headers: { zipFileName: "a.txt" } },
    },
  ],
  create({ usingIterator, allowEmptyDirectory, preservePathElements, maxDecompressedSize }) {
    return {
      marshal(body, exchange) {
        const name = entryName(exchange, preservePathElements);
        exchange.message.headers.set("CamelFileName", `${name}.zip`);
        return withBytes(body, (bytes) => zipSync({ [name]: [bytes, { mtime: entryTime }] }));
      },
      unmarshal: (body, exchange) =>
        withBytes(body, (bytes) => readEntries(readZip(bytes, maxDecompressedSize, allowEmptyDirectory), "zip", usingIterator, exchange)),
    };
  },
});
