import { defineFormat } from "@sluice/engine/spi";
import { archiveFields, archiveFormat } from "../archive.ts";
import { zip } from "../deflater/deflate.ts";
import { readZip } from "./read-zip.ts";

/** Fixed timestamp of every entry, so that the same body always produces the same bytes. */
const entryTime = new Date(1980, 0, 1, 0, 0, 0);

export const zipFile = defineFormat({
  name: "zipFile",
  title: "Zip file",
  summary: "Writes the body to a zip file, or reads the entries of a zip file.",
  group: "binary",
  icon: "file-archive",
  since: "0.1",
  options: archiveFields,
  examples: [
    {
      title: "Write and read",
      yaml: "pipeline: {steps: [{marshal: {zipFile: {}}}, {unmarshal: {zipFile: {}}}]}",
      given: { body: "hello", headers: { CamelFileName: "a.txt" } },
      expect: { body: new TextEncoder().encode("hello"), headers: { zipFileName: "a.txt" } },
    },
  ],
  create: (options, clock) =>
    archiveFormat(
      "zip",
      options,
      { read: (bytes, _limit, withFolders) => readZip(bytes, withFolders, clock), write: (name, bytes) => zip({ name, time: entryTime, bytes }, clock) },
      clock,
    ),
});
