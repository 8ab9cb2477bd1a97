import { defineFormat } from "@sluice/engine/spi";
import { archiveFields, archiveFormat } from "../archive.ts";
import { readTar, writeTar } from "./tar-archive.ts";

export const tarFile = defineFormat({
  name: "tarFile",
  title: "Tar file",
  summary: "Writes the body to a tar file, or reads the entries of a tar file.",
  group: "binary",
  icon: "file-archive",
  since: "0.1",
  options: archiveFields,
  examples: [
    {
      title: "Write and read",
      yaml: "pipeline: {steps: [{marshal: {tarFile: {}}}, {unmarshal: {tarFile: {}}}]}",
      given: { body: "hello", headers: { CamelFileName: "a.txt" } },
      expect: { body: new TextEncoder().encode("hello"), headers: { tarFileName: "a.txt" } },
    },
  ],
  create: (options, clock) => archiveFormat("tar", options, { read: readTar, write: writeTar }, clock),
});
