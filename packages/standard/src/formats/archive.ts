// What zipFile and tarFile share: one entry is the body, several are parts for a splitter, each a message of its own.
import { FlowError, Headers, Message, asText, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { commonFields } from "./format-input.ts";

export interface ArchiveEntry {
  readonly name: string;
  content(): Uint8Array;
}

export const archiveFields = {
  ...commonFields,
  usingIterator: f.boolean({
    doc: "Reading gives one message per entry, for a split to go through; otherwise there must be exactly one entry.",
    default: false,
  }),
  allowEmptyDirectory: f.boolean({ doc: "Whether folders among the entries become (empty) parts.", default: false, group: "advanced" as const }),
  preservePathElements: f.boolean({
    doc: "Whether the entry is named with its folders or only with its last part.",
    default: false,
    group: "advanced" as const,
  }),
  maxDecompressedSize: f.size({ doc: "The most one entry may unpack to, in bytes.", default: 64 * 1024 * 1024, group: "advanced" as const }),
};

/** The name of the entry that is written: the file name the route set, else the exchange's id. */
export function entryName(exchange: Exchange, preservePathElements: boolean): string {
  const given = asText(exchange.message.headers.get("CamelFileName"));
  const name = given === "" ? exchange.id : given.replaceAll("\\", "/").replace(/^\/+/, "");
  return preservePathElements ? name : name.slice(name.lastIndexOf("/") + 1);
}

/** The body an archive becomes. Names are data: nothing is ever written to where they point. */
export function readEntries(entries: readonly ArchiveEntry[], kind: "zip" | "tar", usingIterator: boolean, exchange: Exchange): unknown {
  const headersOf = (name: string): Readonly<Record<string, string>> => ({ [`${kind}FileName`]: name, CamelFileName: name });
  if (usingIterator) return entries.map((entry) => new Message(entry.content(), Headers.of(headersOf(entry.name))));
  if (entries.length > 1)
    throw new FlowError("java.lang.IllegalStateException", `the ${kind} file has ${entries.length} entries: set usingIterator: true and split the body`, {
      code: `${kind}-entries`,
    });
  const [entry] = entries;
  if (entry === undefined) return null;
  for (const [header, value] of Object.entries(headersOf(entry.name))) exchange.message.headers.set(header, value);
  return entry.content();
}
