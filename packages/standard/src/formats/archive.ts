// Shared by zipFile and tarFile: one entry becomes the body, several become messages for a split.
import { FlowError, Headers, Message, type Awaitable, type Clock, type Exchange, type Format } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { commonFields, maxPayloadBytes, withBytes } from "./format-input.ts";
import { eachIncrementally } from "./incremental.ts";

export interface ArchiveEntry {
  readonly name: string;
  /** For zip, fails when the content is larger than `limit`; the entries of a tar file are checked when the archive is read. */
  content(limit: number): Awaitable<Uint8Array>;
}

export const archiveFields = {
  ...commonFields,
  usingIterator: f.boolean({
    doc: "Whether `unmarshal` returns all entries, for a `split`; otherwise the archive must have exactly one entry.",
    default: false,
  }),
  allowEmptyDirectory: f.boolean({ doc: "Whether directories are included as empty entries.", default: false, group: "advanced" as const }),
  preservePathElements: f.boolean({
    doc: "Whether the entry name includes folders; otherwise it is the file name only.",
    default: false,
    group: "advanced" as const,
  }),
  maxDecompressedSize: f.size({
    doc: "Maximum decompressed size of one entry, in bytes; all entries together may have this size or 64 MiB, whichever is larger.",
    default: 64 * 1024 * 1024,
    group: "advanced" as const,
  }),
};

interface ArchiveCodec {
  read(bytes: Uint8Array, maxDecompressedSize: number, allowEmptyDirectory: boolean): readonly ArchiveEntry[];
  write(name: string, bytes: Uint8Array): Awaitable<Uint8Array>;
}

export function archiveFormat(
  kind: "zip" | "tar",
  { usingIterator, allowEmptyDirectory, preservePathElements, maxDecompressedSize }: Values<typeof archiveFields>,
  { read, write }: ArchiveCodec,
  clock: Clock | undefined,
): Format {
  return {
    marshal(body, exchange) {
      const name = entryName(exchange, preservePathElements);
      exchange.message.headers.set("CamelFileName", `${name}.${kind}`);
      return withBytes(body, (bytes) => write(name, bytes));
    },
    unmarshal: (body, exchange) =>
      withBytes(body, (bytes) =>
        readEntries(read(bytes, maxDecompressedSize, allowEmptyDirectory), { kind, usingIterator, maxDecompressedSize, clock }, exchange),
      ),
  };
}

/** The name of the written entry: the header CamelFileName, or the exchange id if it is not set. */
function entryName(exchange: Exchange, preservePathElements: boolean): string {
  const fileName = asText(exchange.message.headers.get("CamelFileName"));
  const name = fileName === "" ? exchange.id : fileName.replaceAll("\\", "/").replace(/^\/+/, "");
  return preservePathElements ? name : name.slice(name.lastIndexOf("/") + 1);
}

interface ReadOptions {
  readonly kind: "zip" | "tar";
  readonly usingIterator: boolean;
  readonly maxDecompressedSize: number;
  readonly clock: Clock | undefined;
}

/** The body for the entries of an archive. Entry names are only data: no file is written to these paths. */
function readEntries(entries: readonly ArchiveEntry[], options: ReadOptions, exchange: Exchange): unknown {
  const { kind } = options;
  if (options.usingIterator) return readAll(entries, options);
  if (entries.length > 1)
    throw new FlowError("java.lang.IllegalStateException", `the ${kind} file has ${entries.length} entries: set usingIterator: true and split the body`, {
      code: `${kind}-entries`,
    });
  const [entry] = entries;
  if (entry === undefined) return null;
  for (const [header, value] of Object.entries(headersOf(kind, entry.name))) exchange.message.headers.set(header, value);
  return entry.content(options.maxDecompressedSize);
}

/** Reads the entries one after the other; together they are bounded as well, because entries of a zip file can share their data. */
function readAll(entries: readonly ArchiveEntry[], { kind, maxDecompressedSize, clock }: ReadOptions): Awaitable<Message[]> {
  const messages: Message[] = [];
  let remaining = Math.max(maxPayloadBytes, maxDecompressedSize);
  const add = ({ name }: ArchiveEntry, content: Uint8Array): void => {
    remaining -= content.length;
    messages.push(new Message(content, Headers.of(headersOf(kind, name))));
  };
  const read = (entry: ArchiveEntry): Awaitable => {
    const content = entry.content(Math.min(remaining, maxDecompressedSize));
    return content instanceof Promise ? content.then((bytes) => add(entry, bytes)) : add(entry, content);
  };
  return eachIncrementally(entries.values(), read, () => messages, clock);
}

function headersOf(kind: "zip" | "tar", name: string): Readonly<Record<string, string>> {
  return { [`${kind}FileName`]: name, CamelFileName: name };
}
