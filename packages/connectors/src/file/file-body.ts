// Reads files into bodies and writes bodies to files.
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { CompileError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

/** A file that is too large for memory: a stream that can be read repeatedly. */
export class FileStream implements AsyncIterable<Uint8Array> {
  readonly path: string;
  readonly size: number;

  constructor(path: string, size: number) {
    this.path = path;
    this.size = size;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return createReadStream(this.path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }
}

const encodings: Readonly<Record<string, BufferEncoding>> = {
  "utf-8": "utf8",
  utf8: "utf8",
  "iso-8859-1": "latin1",
  latin1: "latin1",
  "us-ascii": "ascii",
  ascii: "ascii",
  "utf-16le": "utf16le",
};

/** The encoding for writing text; an encoding that cannot be written is an error of the flow. */
export function encodingOf(charset: string | undefined): BufferEncoding {
  const encoding = encodings[(charset ?? "utf-8").toLowerCase()];
  if (encoding === undefined)
    throw new CompileError("bad-option", `charset '${charset}' cannot be used for writing`, { hint: `use one of ${Object.keys(encodings).join(", ")}` });
  return encoding;
}

/** Checked at deploy time, so that reading cannot fail because of it. */
export function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    throw new CompileError("bad-option", `unknown charset '${charset}'`, {
      hint: "use utf-8, iso-8859-1 or another name of the Encoding Standard",
    });
  }
}

export async function readBody(path: string, size: number, streamOver: number, decoder: TextDecoder | undefined): Promise<unknown> {
  if (size > streamOver) return new FileStream(path, size);
  const bytes = await readFile(path);
  return decoder === undefined ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : decoder.decode(bytes);
}

/** Writes a body and optionally waits for fsync. */
export async function writeBody(
  path: string,
  flags: number,
  body: unknown,
  options: { encoding: BufferEncoding; appendChars: string | undefined; sync: boolean; mode: number | undefined },
): Promise<void> {
  const file = await open(path, flags, options.mode);
  try {
    for await (const chunk of chunksOf(body, options.encoding)) await file.appendFile(chunk);
    if (options.appendChars !== undefined) await file.appendFile(Buffer.from(options.appendChars, options.encoding));
    if (options.mode !== undefined) await file.chmod(options.mode);
    if (options.sync) await file.datasync();
  } finally {
    await file.close();
  }
}

async function* chunksOf(body: unknown, encoding: BufferEncoding): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) {
    for await (const chunk of body as AsyncIterable<unknown>) yield chunk instanceof Uint8Array ? chunk : Buffer.from(asText(chunk), encoding);
  } else yield Buffer.from(asText(body), encoding);
}
