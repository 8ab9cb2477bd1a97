// Documents as files `<id>.json` of one directory, written beside their place and renamed.
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOf } from "../flows/disk-flow-store.ts";
import { flushDirectory, putInPlace, readWhole, removeFile, removeLeftovers, writeTemporary } from "../flows/durable-file.ts";
import { isFlowId } from "../flows/flow-id.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";

const extension = ".json";
const strict = new TextDecoder("utf-8", { fatal: true });

/** Opens the directory, makes it when missing, and clears what a crash left behind. */
export async function openDiskDocumentStore(directory: string): Promise<DocumentStore> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  // A directory that cannot be written is no reason not to serve what is in it.
  await removeLeftovers(directory).catch(() => undefined);
  return {
    async list() {
      const names = (await readdir(directory)).filter((name) => !name.startsWith(".") && name.endsWith(extension)).sort();
      const documents: (StoredDocument | BrokenDocument)[] = [];
      for (const name of names) documents.push(await readDocument(directory, name));
      return documents;
    },
    async read(id) {
      const name = `${id}${extension}`;
      return (await readdir(directory)).includes(name) ? readDocument(directory, name) : undefined;
    },
    async write(id, text) {
      const bytes = Buffer.from(text, "utf8");
      const name = `${id}${extension}`;
      await putInPlace(directory, await writeTemporary(directory, name, bytes, 0o640), name);
      await flushDirectory(directory);
      return { hash: hashOf(bytes), lastModified: Math.round((await stat(join(directory, name))).mtimeMs) };
    },
    async remove(id) {
      if (!(await removeFile(directory, `${id}${extension}`))) return false;
      await flushDirectory(directory);
      return true;
    },
  };
}

async function readDocument(directory: string, name: string): Promise<StoredDocument | BrokenDocument> {
  const id = name.slice(0, -extension.length);
  const broken = (problem: string, hash = "", lastModified = 0): BrokenDocument => ({ id, hash, lastModified, problem });
  if (!isFlowId(id)) return broken(`'${id}' is no valid id: rename the file`);
  try {
    const path = join(directory, name);
    const [bytes, facts] = await Promise.all([readWhole(path), stat(path)]);
    const about = { id, hash: hashOf(bytes), lastModified: Math.round(facts.mtimeMs) };
    try {
      return { ...about, value: JSON.parse(strict.decode(bytes)) as unknown };
    } catch {
      return broken("the file is no JSON", about.hash, about.lastModified);
    }
  } catch (error) {
    return broken(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}
