// Shared by zipFile and tarFile: one entry becomes the body, several become messages for a split.
import { FlowError, Headers, Message, type Awaitable, type Exchange, type Format } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { commonFields, withBytes } from "./format-input.ts";

export interface ArchiveEntry {
  readonly name: string;
  content(): Uint8Array;
}

export const archiveFields = {
  ...commonFields,
  usingIterator: f.boolean({
    doc: "Reading yields one message per entry, for a split; otherwise the archive must have exactly one entry.",
    default: false,
  }),
  allowEmptyDirectory: f.boolean({ doc: "Whether folders become (empty) parts.", default: false, group: "advanced" as const }),
  preservePathElements: f.boolean({
    doc: "Whether the entry name includes folders or only the file name.",
    default: false,
    group: "advanced" as const,
  }),
  maxDecompressedSize: f.size({ doc: "Maximum decompressed size of one entry, in bytes.", default: 64 * 1024 * 1024, group: "advanced" as const }),
};

interface ArchiveCodec {
  read(bytes: Uint8Array, maxDecompressedSize: number, allowEmptyDirectory: boolean): readonly ArchiveEntry[];
  write(name: string, bytes: Uint8Array): Awaitable<Uint8Array>;
}

export function archiveFormat(
  kind: "zip" | "tar",
  { usingIterator, allowEmptyDirectory, preservePathElements, maxDecompressedSize }: Values<typeof archiveFields>,
  { read, write }: ArchiveCodec,
): Format {
  return {
    marshal(body, exchange) {
      const name = entryName(exchange, preservePathElements);
      exchange.message.headers.set("CamelFileName", `${name}.${kind}`);
      return withBytes(body, (bytes) => write(name, bytes));
    },
    unmarshal: (body, exchange) =>
      withBytes(body, (bytes) => readEntries(read(bytes, maxDecompressedSize, allowEmptyDirectory), kind, usingIterator, exchange)),
  };
}

/** The name of the written entry: the file name set by the route, else the exchange id. */
function entryName(exchange: Exchange, preservePathElements: boolean): string {
  const given = asText(exchange.message.headers.get("CamelFileName"));
  const name = given === "" ? exchange.id : given.replaceAll("\\", "/").replace(/^\/+/, "");
  return preservePathElements ? name : name.slice(name.lastIndexOf("/") + 1);
}

/** The body of an archive. Entry names are data: nothing is written to the paths they name. */
function readEntries(entries: readonly ArchiveEntry[], kind: "zip" | "tar", usingIterator: boolean, exchange: Exchange): unknown {
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
