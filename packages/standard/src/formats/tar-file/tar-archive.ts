// The POSIX tar layout: blocks of 512 bytes, a header block and the content of each entry, two empty blocks at the end.
import { FlowError } from "@sluice/engine/spi";
import type { ArchiveEntry } from "../archive.ts";
import { invalidInput } from "../format-input.ts";

const blockSize = 512;
const maxEntries = 10_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function writeTar(name: string, content: Uint8Array): Uint8Array {
  const nameBytes = encoder.encode(name);
  if (nameBytes.length > 100)
    throw new FlowError(
      "java.lang.IllegalArgumentException",
      `the name of the tar entry '${name}' has ${nameBytes.length} bytes, more than the maximum of 100; shorten CamelFileName`,
      { code: "tar-name" },
    );
  const archive = new Uint8Array(blockSize + Math.ceil(content.length / blockSize) * blockSize + 2 * blockSize);
  const put = (text: string, at: number): void => archive.set(encoder.encode(text), at);
  archive.set(nameBytes, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(content.length, 12), 124);
  put(octal(0, 12), 136);
  put("        ", 148);
  put("0", 156);
  put("ustar\u000000", 257);
  put(`${checksum(archive.subarray(0, blockSize)).toString(8).padStart(6, "0")}\0 `, 148);
  archive.set(content, blockSize);
  return archive;
}

/** The files of an archive and, if `withFolders`, its folders; links and devices are skipped. */
export function readTar(archive: Uint8Array, limit: number, withFolders: boolean): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockSize <= archive.length;) {
    const header = archive.subarray(at, at + blockSize);
    if (header.every((byte) => byte === 0)) return entries;
    if (entries.length >= maxEntries) throw invalidInput("tar", `the tar file has more than ${maxEntries} entries`);
    if (number(header, 148, 8) !== checksum(header)) throw invalidInput("tar", "the body is not a valid tar file");
    const size = number(header, 124, 12);
    const start = at + blockSize;
    if (start + size > archive.length) throw invalidInput("tar", "unexpected end of the tar file");
    if (size > limit) throw invalidInput("tar", `an entry of the tar file is larger than ${limit} bytes`);
    const type = String.fromCharCode(header[156] as number);
    const content = archive.subarray(start, start + size);
    if (type === "L") longName = text(content, 0, content.length);
    else if (type === "x") longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(decoder.decode(content))?.[1] ?? longName;
    else {
      const prefix = text(header, 257, 5) === "ustar" ? text(header, 345, 155) : "";
      const name = longName ?? (prefix === "" ? "" : `${prefix}/`) + text(header, 0, 100);
      longName = undefined;
      if (type === "0" || type === "\0" || type === "7" || (type === "5" && withFolders)) entries.push({ name, content: () => content.slice() });
    }
    at = start + Math.ceil(size / blockSize) * blockSize;
  }
  return entries;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

function number(header: Uint8Array, at: number, length: number): number {
  const digits = text(header, at, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw invalidInput("tar", "the body is not a valid tar file");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** Checksum of a header, with the checksum field counted as spaces. */
function checksum(header: Uint8Array): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  return sum;
}
