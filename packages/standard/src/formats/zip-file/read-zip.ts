// Reads a zip file by its central directory; local headers are only used to find the data.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import type { ArchiveEntry } from "../archive.ts";
import { inflate } from "../deflater/inflate.ts";
import { invalidInput, payloadError } from "../format-input.ts";

const maxEntries = 10_000;
const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;

export function readZip(bytes: Uint8Array, withFolders: boolean, clock: Clock | undefined): ArchiveEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  if (count > maxEntries) throw invalidInput("zip", `the zip file has more than ${maxEntries} entries`);
  const entries: ArchiveEntry[] = [];
  const content = (entryAt: number, name: string, limit: number): Awaitable<Uint8Array> => {
    const { compressed, isStored } = compressedContent(bytes, view, entryAt, name);
    if (!isStored) return inflate(compressed, { encoding: "raw", format: "zip", limit, clock });
    if (compressed.length > limit) throw payloadError(`entry '${name}' of the zip file`, limit);
    return compressed.slice();
  };
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== directorySignature) throw invalidZip();
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const entryAt = at;
    if (withFolders || !name.endsWith("/")) entries.push({ name, content: (limit) => content(entryAt, name, limit) });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= lowest; at--) if (view.getUint32(at, true) === endSignature) return at;
  throw invalidZip();
}

function compressedContent(bytes: Uint8Array, view: DataView, entryAt: number, name: string): { readonly compressed: Uint8Array; readonly isStored: boolean } {
  const flags = view.getUint16(entryAt + 8, true);
  const method = view.getUint16(entryAt + 10, true);
  const compressedSize = view.getUint32(entryAt + 20, true);
  const local = view.getUint32(entryAt + 42, true);
  if ((flags & 1) !== 0) throw invalidInput("zip", `entry '${name}' of the zip file is encrypted, which is not supported`);
  if (local + 30 > bytes.length || view.getUint32(local, true) !== localSignature) throw invalidZip();
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + compressedSize > bytes.length) throw invalidZip();
  const compressed = bytes.subarray(start, start + compressedSize);
  if (method !== 0 && method !== 8) throw invalidInput("zip", `entry '${name}' of the zip file uses an unsupported compression method (${method})`);
  return { compressed, isStored: method === 0 };
}

function invalidZip(): Error {
  return invalidInput("zip", "the body is not a valid zip file");
}
