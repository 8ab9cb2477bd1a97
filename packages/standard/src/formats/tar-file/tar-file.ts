import { defineFormat } from "@sluice/engine/spi";
import { archiveFields, entryName, readEntries } from "../archive.ts";
import { withBytes } from "../format-input.ts";
import { readTar, writeTar } from "./tar-archive.ts";

export const tarFile = defineFormat({
  name: "tarFile",
  title: "Tar file",
  summary: "Puts the body into a tar file, or takes the entries out of one.",
  group: "binary",
  icon: "file-archive",
  since: "0.1",
  options: archiveFields,
  examples: [
    {
      title: "There and back",
      yaml: "pipeline: {steps: [{marshal: {tarFile: {}}}, {unmarshal: {tarFile: {}}}]}",
      given: { body: "hello", headers: { CamelFileName: "a.txt" } },
      expect: { body: new TextEncoder().encode("hello"), headers: { tarFileName: "a.txt" } },
    },
  ],
  create({ usingIterator, allowEmptyDirectory, preservePathElements, maxDecompressedSize }) {
    return {
      marshal(body, exchange) {
        const name = entryName(exchange, preservePathElements);
        exchange.message.headers.set("CamelFileName", `${name}.tar`);
        return withBytes(body, (bytes) => writeTar(name, bytes));
      },
      unmarshal: (body, exchange) =>
        withBytes(body, (bytes) => readEntries(readTar(bytes, maxDecompressedSize, allowEmptyDirectory), "tar", usingIterator, exchange)),
    };
  },
});
